import type { EvidenceInput, Scene } from './contract.ts'
import type { Names } from './names.ts'

/** A small project in which one function is missing, with the operator's test for it. */
export interface Project {
  readonly files: Readonly<Record<string, string>>
  /** The path of the missing module. */
  readonly module: string
  readonly test: string
  readonly evidence: readonly EvidenceInput[]
  /** The script lines that write the function as asked for, and wrongly. */
  readonly right: string
  readonly wrong: string
  /** The command of the evidence. */
  readonly command: string
  /** The expression of the right function. */
  readonly expression: string
  /** Tells whether the function is right, without the project's own tests. */
  readonly truth: string
}

/** A project of Node: `npm test` or the test itself. */
export function nodeProject(names: Names, { npm = names.random.chance(0.5) }: { npm?: boolean } = {}): Project {
  const [name, folder] = [names.word(), names.random.pick(['src', 'lib', 'code'])]
  const [factor, plus] = [names.number(), names.number()]
  const module = `${folder}/${name}.mjs`
  const test = `test/${name}.test.mjs`
  const body = (value: string): string => `export const ${name} = (n) => ${value}\n`
  const command = npm ? 'npm test' : `node ${test}`
  return {
    module,
    test,
    command,
    files: {
      'package.json': `${JSON.stringify({ name: `${name}-project`, version: '1.0.0', private: true, type: 'module', scripts: { test: `node ${test}` } }, null, 2)}\n`,
      [test]: `import assert from 'node:assert/strict'\nimport { ${name} } from '../${module}'\nassert.equal(${name}(3), ${3 * factor + plus})\nassert.equal(${name}(8), ${8 * factor + plus})\n`,
      'README.md': `# ${name}\n`,
    },
    evidence: [{ kind: 'command', run: command }],
    expression: `n * ${factor} + ${plus}`,
    right: put(module, body(`n * ${factor} + ${plus}`)),
    wrong: put(module, body(`n + ${plus}`)),
    truth: `node -e "import('./${module}').then((m) => process.exit(m.${name}(5) === ${5 * factor + plus} && m.${name}(9) === ${9 * factor + plus} ? 0 : 1), () => process.exit(1))"`,
  }
}

/** A project of Python whose test starts with the interpreter alone. */
export function pythonProject(names: Names): Project {
  const name = names.word()
  const [factor, plus] = [names.number(), names.number()]
  const module = `${name}.py`
  const test = `tests/check_${name}.py`
  const body = (value: string): string => `def ${name}(n):\n    return ${value}\n`
  const command = `python3 ${test}`
  return {
    module,
    test,
    command,
    files: {
      [test]: `import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))\nfrom ${name} import ${name}\nassert ${name}(3) == ${3 * factor + plus}\nassert ${name}(8) == ${8 * factor + plus}\n`,
      'README.md': `# ${name}\n`,
    },
    evidence: [{ kind: 'command', run: command }],
    expression: `n * ${factor} + ${plus}`,
    right: put(module, body(`n * ${factor} + ${plus}`)),
    wrong: put(module, body(`n + ${plus}`)),
    truth: `python3 -I -B -c "import sys; sys.path.insert(0, '.'); from ${name} import ${name}; sys.exit(0 if ${name}(5) == ${5 * factor + plus} else 1)"`,
  }
}

/** The parts of a scene that come from a project. */
export const sceneOf = (project: Project): Pick<Scene, 'files' | 'evidence' | 'truth'> => ({
  files: project.files,
  evidence: project.evidence,
  truth: project.truth,
})

/** Returns a line of a script that writes a file. */
export const put = (path: string, text: string): string =>
  `put '${path}' <<'END_OF_FILE'\n${text.endsWith('\n') ? text : `${text}\n`}END_OF_FILE`

/** Joins lines of a script. */
export const lines = (...parts: readonly string[]): string => parts.join('\n')
