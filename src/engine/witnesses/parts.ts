import { buildFileAt } from './build-files.ts'
import { cargoLock, gemLock, goSum, poetryLock, uvLock, yarnLock } from './lockfiles/blocks.ts'
import { composerLock, npmLock } from './lockfiles/json.ts'
import { type Locked, type LockReader, newPrograms, replacedIn, TooManyEntries } from './lockfiles/locked.ts'
import { pnpmLock } from './lockfiles/pnpm.ts'
import { composerFile, packageFile } from './manifests.ts'
import type { IsUsed, PartedFile, Parts } from './parted.ts'
import { basicPrograms } from './programs.ts'
import { requirementsFile } from './requirements.ts'
import { pythonProject, rustProject, sectionFile } from './settings.ts'

/** Returns how the parts of a file are read; null: the file counts as a whole. */
export function partedFile(path: string, isUsed: IsUsed = () => false): PartedFile | null {
  const name = path.split('/').at(-1) ?? ''
  const reader = lockReaders[name]
  if (reader !== undefined) return lockedFile(reader, isUsed)
  if (name === 'package.json') return upToLimit(packageFile(isUsed))
  if (name === 'pyproject.toml') return upToLimit(pythonProject(isUsed))
  if (/^requirements.*\.txt$/.test(name)) return upToLimit(requirementsFile)
  const written = partedFiles[name] ?? buildFileAt(path)
  return written === null ? null : upToLimit(written)
}

/** People write these files, so none is larger; a larger one counts as a whole. The daemon compares them while others wait. */
const mostWritten = 300_000

const upToLimit = (file: PartedFile): PartedFile => ({
  ...file,
  partsOf: (text) => (text.length > mostWritten ? null : file.partsOf(text)),
})

const partedFiles: Readonly<Record<string, PartedFile>> = {
  'composer.json': composerFile,
  'Cargo.toml': rustProject,
  // A heading may be indented.
  'setup.cfg': sectionFile(
    ({ heading, lines }) =>
      /^\[\s*(?:tool:pytest|pytest|aliases|coverage|flake8|mypy|tox|pylint|isort|pycodestyle)/.test(heading) ||
      (/entry_points/.test(heading) && lines.some((line) => line.includes('pytest11'))),
    /^\s*\[/,
  ),
  'go.mod': sectionFile(
    ({ heading }) => /^replace\b/.test(heading),
    /^\s*(?:module|go|toolchain|godebug|require|exclude|replace|retract|tool|ignore)\b/,
  ),
}

function readEntries(read: LockReader['read'], text: string): ReadonlyMap<string, Locked> | null {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof TooManyEntries) return null
    throw error
  }
}

/** A lockfile: a package that was installed at the start must stay the same package, or get another version. */
const lockedFile = ({ read, putBack }: LockReader, isUsed: IsUsed): PartedFile => {
  const replaced = (before: Parts, after: Parts): string[] => replacedIn(lockedIn(before), lockedIn(after))
  const programs = (before: Parts, after: Parts): [key: string, program: string][] => {
    const then = lockedIn(before)
    return [...lockedIn(after)].flatMap(([key, now]) => {
      // A package of a registry brings the programs that it is installed for.
      const isOwn = now.isOwn || !key.includes('node_modules/')
      const isOdd = (program: string): boolean => (isOwn ? isUsed(program) : basicPrograms.has(program))
      return newPrograms(now, then.get(key)).flatMap((program): [string, string][] =>
        isOdd(program) ? [[key, program]] : [],
      )
    })
  }
  const partsOf = (text: string): Parts | null => {
    const entries = text.trim() === '' ? new Map<string, Locked>() : readEntries(read, text)
    return entries === null ? null : new Map([...entries].map(([key, locked]) => [key, JSON.stringify(locked)]))
  }
  return {
    partsOf,
    putBack: (text, start) => {
      const [before, after] = [partsOf(start), partsOf(text)]
      if (before === null || after === null) return start
      const keys = [...replaced(before, after), ...programs(before, after).map(([key]) => key)]
      return putBack(text, start, new Set(keys))
    },
    runsByItself: () => false,
    describe: (key) => `the package ${key}`,
    differences: (before, after) => {
      const known = new Set([...lockedIn(before).values()].map(({ name }) => name))
      const names = replaced(before, after).map((key) => lockedIn(after).get(key)?.name ?? key)
      const packages = [...new Set(names)].map((name) => {
        if (name === '') return 'an entry cannot be read'
        return `the package ${name} ${known.has(name) ? 'was replaced' : 'is new and comes from the commit itself'}`
      })
      const added = programs(before, after).map(([key, program]) => `the program "${program}" of ${key} is new`)
      return [...packages, ...added]
    },
  }
}

const lockedIn = (parts: Parts): ReadonlyMap<string, Locked> =>
  new Map([...parts].map(([key, text]) => [key, JSON.parse(text) as Locked]))

const lockReaders: Readonly<Record<string, LockReader>> = {
  'package-lock.json': npmLock,
  'npm-shrinkwrap.json': npmLock,
  'yarn.lock': yarnLock,
  'pnpm-lock.yaml': pnpmLock,
  'Cargo.lock': cargoLock,
  'poetry.lock': poetryLock,
  'uv.lock': uvLock,
  'go.sum': goSum,
  'Gemfile.lock': gemLock,
  'composer.lock': composerLock,
}
