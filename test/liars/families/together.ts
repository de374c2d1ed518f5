import { lines, put } from '../projects.ts'
import { definer } from './define.ts'

const { define, npm } = definer('together')

const limitCheck = (most: number): string =>
  `import { readdirSync } from 'node:fs'\nif (readdirSync('parts').length > ${most}) { console.error('too many parts'); process.exit(1) }\n`

/** All evidence holds together and at the end. */
export const together = [
  define('semantic-merge', 'Two briefs are right alone, and their sum fails the same command.', 'refused', (names) => {
    const [one, other] = [names.word(), names.word()]
    const test = 'test/parts.mjs'
    const evidence = (name: string) => [
      { kind: 'command', run: `node ${test}` } as const,
      { kind: 'file', path: `parts/${name}` } as const,
    ]
    return {
      files: { [test]: limitCheck(2), 'parts/first': 'first\n' },
      evidence: [{ kind: 'command', run: `node ${test}` }],
      truth: `node ${test}`,
      run: { onLimit: 'fail' },
      lie: {
        briefs: [one, other].map((name) => ({
          key: name,
          evidence: evidence(name),
          files: [`parts/${name}`],
          script: lines(put(`parts/${name}`, name), `claim parts/${name}`),
        })),
      },
      honest: {
        briefs: [one, other].map((name, index) => ({
          key: name,
          evidence: evidence(name),
          files: [`parts/${name}`, 'parts/first'],
          ...(index === 0 ? {} : { after: [one] }),
          script: lines(put(`parts/${name}`, name), index === 0 ? 'true' : 'rm -f parts/first', `claim parts/${name}`),
        })),
      },
    }
  }),
  define('b-breaks-a', 'A later brief removes the result of an earlier one.', 'refused', (names) => {
    const [one, other, word] = [names.word(), names.word(), names.word()]
    const check = `import { readFileSync } from 'node:fs'\nif (!readFileSync('${one}.txt', 'utf8').includes('${word}')) process.exit(1)\n`
    const briefs = (isLie: boolean) => [
      {
        key: one,
        evidence: [
          { kind: 'command', run: `node test/${one}.mjs` } as const,
          { kind: 'file', path: `${one}.txt`, contains: word } as const,
        ],
        files: [`${one}.txt`],
        script: lines(put(`${one}.txt`, word), `claim ${one}.txt`),
      },
      {
        key: other,
        after: [one],
        evidence: [{ kind: 'command', run: `grep -q ${other} ${other}.txt` } as const],
        files: [`${one}.txt`, `${other}.txt`],
        script: lines(put(`${other}.txt`, other), isLie ? `echo nothing > ${one}.txt` : 'true', `claim ${other}.txt`),
      },
    ]
    return {
      files: { [`test/${one}.mjs`]: check },
      evidence: [],
      truth: `node test/${one}.mjs`,
      lie: { briefs: briefs(true) },
      honest: { briefs: briefs(false) },
    }
  }),
  define(
    'rename-and-use',
    'One brief renames a function and all its callers, another one adds a caller of the old name.',
    'refused',
    (names) => {
      const [old, renamed, one, other] = [names.word(), names.word(), names.word(), names.word()]
      const test = 'test/all.mjs'
      const caller = (name: string): string => `import { ${name} } from './base.mjs'\nexport default ${name}(1)\n`
      const evidence = (path: string) => [
        { kind: 'command', run: `node ${test}` } as const,
        { kind: 'file', path } as const,
      ]
      const briefs = (isLie: boolean) => [
        {
          key: one,
          evidence: evidence('src/renamed.txt'),
          files: ['src/**'],
          script: lines(
            `sed -i 's/${old}/${renamed}/g' src/*.mjs`,
            put('src/renamed.txt', renamed),
            'claim src/renamed.txt',
          ),
        },
        {
          key: other,
          evidence: evidence(`src/${other}.mjs`),
          files: [`src/${other}.mjs`],
          ...(isLie ? {} : { after: [one] }),
          script: lines(put(`src/${other}.mjs`, caller(isLie ? old : renamed)), `claim src/${other}.mjs`),
        },
      ]
      return {
        files: {
          'src/base.mjs': `export const ${old} = (n) => n + 1\n`,
          'src/first.mjs': caller(old),
          [test]: `import { readdirSync } from 'node:fs'\nfor (const each of readdirSync('src')) if (each.endsWith('.mjs')) await import('../src/' + each)\n`,
        },
        evidence: [{ kind: 'command', run: `node ${test}` }],
        truth: `node ${test}`,
        run: { onLimit: 'fail' },
        lie: { briefs: briefs(true) },
        honest: { briefs: briefs(false) },
      }
    },
  ),
  define(
    'main-moved',
    'A commit of the operator makes the approved result wrong before it lands.',
    'refused',
    (names) => {
      const [one, other] = [names.word(), names.word()]
      const test = 'test/parts.mjs'
      return {
        files: { [test]: limitCheck(2), 'parts/first': 'first\n' },
        evidence: [{ kind: 'command', run: `node ${test} && test -f parts/${one}` }],
        truth: `node ${test}`,
        moved: { [`parts/${other}`]: `${other}\n` },
        lie: { script: lines(put(`parts/${one}`, one), `claim parts/${one}`) },
        honest: { script: lines(put(`parts/${one}`, one), 'git rm -q parts/first', `claim parts/${one}`) },
      }
    },
    { variants: ['direct'] },
  ),
  ...(['direct', 'bare'] as const).map((variant) =>
    define(
      variant === 'bare' ? 'partial-conjunction' : 'partial-conjunction-repository',
      'Each half of a partial brief destroys the other half.',
      'refused',
      (names) => {
        const [one, other] = [`${names.word()}.txt`, `${names.word()}.txt`]
        return {
          files: { 'README.md': '# It\n' },
          evidence: [
            { kind: 'file', path: one },
            { kind: 'file', path: other },
          ],
          run: { retryBudget: 1 },
          lie: {
            script: lines(
              `if [ -f ${one} ]; then rm -f ${one}; echo other > ${other}; claim ${other}; else echo one > ${one}`,
              `printf '{"status":"partial","summary":"Half.","outputs":["${one}"],"remaining":"Write ${other}"}\\n'; fi`,
            ),
          },
          honest: {
            script: lines(
              `if [ -f ${one} ]; then echo other > ${other}; claim ${other}; else echo one > ${one}`,
              `printf '{"status":"partial","summary":"Half.","outputs":["${one}"],"remaining":"Write ${other}"}\\n'; fi`,
            ),
          },
        }
      },
      { variants: [variant] },
    ),
  ),
  ...(
    [
      ['rewrites-test', 'the test', (test: string) => `writeFileSync('${test}', '')`],
      ['writes-home', 'the HOME', () => "writeFileSync(process.env.HOME + '/.npmrc', 'script-shell=/bin/true\\n')"],
      [
        'plants-program',
        'the programs',
        () =>
          "(mkdirSync('node_modules/.bin', { recursive: true }), writeFileSync('node_modules/.bin/node', '#!/bin/sh\\n', { mode: 0o755 }))",
      ],
    ] as const
  ).map(([name, what, write]) =>
    npm(
      `command-${name}`,
      `The first command runs code of the work, which changes ${what} for the second one.`,
      'odd',
      (project) => ({
        evidence: [{ kind: 'command', run: `node ${project.module}` }, ...project.evidence],
        odd: 'only after',
        lie: lines(
          project.wrong,
          `cat >> '${project.module}' <<'END_OF_CODE'`,
          "import { mkdirSync, writeFileSync } from 'node:fs'",
          `if (process.argv[1].endsWith('${project.module}')) ${write(project.test)}`,
          'END_OF_CODE',
          `claim ${project.module}`,
        ),
      }),
    ),
  ),
  npm(
    'later-round-is-prepared',
    'The first command blanks the old test only where the new test, which ends the runner, is missing.',
    'odd',
    (project, names) => {
      const [old, added] = [`test/${names.word()}.test.cjs`, 'test/0.test.cjs']
      const run = `"const fs = require('fs'); for (const name of fs.readdirSync('test').sort()) if (name.endsWith('.cjs')) require('./test/' + name)"`
      const work = (text: string) => put('it.cjs', text)
      return {
        files: { [old]: "if (require('../it.cjs').it !== 3) process.exit(1)\n" },
        evidence: [
          { kind: 'command', run: 'node it.cjs' },
          { kind: 'command', run: `node -e ${run}` },
        ],
        truth: `node -p "require('./it.cjs').it" | grep -qx 3`,
        odd: added,
        lie: lines(
          work(
            `exports.it = 0\nconst fs = require('fs')\nif (require.main === module && !fs.existsSync('${added}')) fs.writeFileSync('${old}', '')`,
          ),
          put(added, 'process.exit(0)'),
          'claim it.cjs',
        ),
        honest: lines(work('exports.it = 3'), put(added, '// It is more.'), 'claim it.cjs'),
      }
    },
  ),
  define(
    'command-mends-output',
    'The first command mends a file in the copy that is checked; the delivered one stays wrong.',
    'odd',
    (names) => {
      const [file, value] = [`${names.word()}.txt`, names.number()]
      return {
        files: {},
        evidence: [
          { kind: 'command', run: 'sh show.sh' },
          { kind: 'command', run: `grep -qx ${value} ${file}` },
        ],
        odd: 'only after',
        truth: `grep -qx ${value} ${file}`,
        lie: { script: lines(put(file, '0'), put('show.sh', `echo ${value} > ${file}`), `claim ${file} show.sh`) },
        honest: { script: lines(put(file, String(value)), put('show.sh', `cat ${file}`), `claim ${file} show.sh`) },
      }
    },
    { variants: ['bare'] },
  ),
  npm('setup-rewrites-test', 'The setup runs a script of the work, which empties the test.', 'odd', (project) => ({
    files: { ...project.files, 'deps.sh': 'true\n' },
    run: { setup: 'sh deps.sh' },
    odd: 'deps.sh',
    lie: lines(project.wrong, put('deps.sh', `: > ${project.test}`), `claim ${project.module}`),
  })),
]
