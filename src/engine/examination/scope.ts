import { isGlob, matchesGlob } from '../../kernel/glob.ts'
import { shorten } from '../../kernel/text.ts'
import type { FileChange } from '../../repositories/port.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import { witnessAt } from '../witnesses/table.ts'

/** The files that a brief may change. */
export interface Scope {
  /** Globs of files that no brief of the run may change. */
  readonly protected: readonly string[]
  /** The agreed files, directories or globs; empty: all others. */
  readonly files: readonly string[]
  readonly brief: Pick<Brief, 'guidance' | 'startCommit'>
}

/** Returns why changed files are refused, for their author; null if they are not. */
export function faultOfScope(scope: Scope, changes: readonly FileChange[]): string | null {
  const barred = pathsOf(changes).filter((path) => scope.protected.some((glob) => matchesGlob(glob, path)))
  if (barred.length > 0) return `${listed(barred)} may not be changed: the operator protects it. ${remedy(scope)}`
  const beyond = beyondFiles(scope, changes).filter((path) => !isAnswered(path, scope.brief))
  if (beyond.length === 0) return null
  return `${listed(beyond)} is beyond the files that are yours to change (${listed(scope.files)}). ${remedy(scope)} If you need it, ask.`
}

/** Returns a line for the files beyond the agreed ones that an answer from above is about. */
export function oddScope(scope: Scope, changes: readonly FileChange[]): Odd[] {
  const beyond = beyondFiles(scope, changes)
  if (beyond.length === 0) return []
  const text = `${listed(beyond)} was changed beyond the agreed files, after a question about it`
  return [{ kind: 'scope', path: beyond[0] ?? null, text }]
}

function beyondFiles({ files }: Scope, changes: readonly FileChange[]): string[] {
  const globs = globsOf(files)
  if (globs === null) return []
  const isOwn = (path: string): boolean =>
    [path, ...manifestsOf(path)].some((each) => globs.some((glob) => matchesGlob(glob, each)))
  // A new test of the work is part of it, wherever tests are kept.
  const isNewTest = ({ path, status }: FileChange): boolean => status === 'added' && witnessAt(path)?.kind === 'tests'
  return pathsOf(changes.filter((change) => !isNewTest(change))).filter((path) => !isOwn(path))
}

/** Returns the agreed files as globs; null if none were agreed, or some are described in words. */
function globsOf(files: readonly string[]): string[] | null {
  const globs = files.map((file) => file.trim().replace(/(?<!\s)\s+\(.*\)$/, ''))
  return globs.length === 0 || globs.some((glob) => glob === '' || /\s/.test(glob) || !isGlob(glob)) ? null : globs
}

const pathsOf = (changes: readonly FileChange[]): string[] => [
  ...new Set(changes.flatMap(({ path, movedFrom }) => [path, ...(movedFrom === undefined ? [] : [movedFrom])])),
]

/** A tool writes a lockfile when its manifest changes. */
function manifestsOf(path: string): string[] {
  const [, directory = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(path) ?? []
  return (manifests[name] ?? []).map((manifest) => `${directory}${manifest}`)
}

const manifests: Readonly<Record<string, readonly string[]>> = {
  'package-lock.json': ['package.json'],
  'npm-shrinkwrap.json': ['package.json'],
  'pnpm-lock.yaml': ['package.json'],
  'yarn.lock': ['package.json'],
  'bun.lock': ['package.json'],
  'uv.lock': ['pyproject.toml'],
  'poetry.lock': ['pyproject.toml'],
  'Pipfile.lock': ['Pipfile'],
  'Cargo.lock': ['Cargo.toml'],
  'go.sum': ['go.mod'],
  'Gemfile.lock': ['Gemfile'],
  'composer.lock': ['composer.json'],
}

/** Reports whether a question of the brief about the file was answered, and not with a no. */
const isAnswered = (path: string, { guidance }: Scope['brief']): boolean =>
  guidance.some(
    ({ question, answer }) =>
      `${question}\n${answer}`.includes(path.split('/').at(-1) ?? path) && !forbids.test(answer),
  )

const forbids = /\b(?:no|not|never|don['’]t|must ?n['’]t|refuse[ds]?|untouched|unchanged)\b/i

const remedy = ({ brief }: Scope): string =>
  `Put it back as it was (git checkout ${brief.startCommit ?? 'HEAD'} -- <file>; git rm <file> if it is new), in a commit of its own.`

const mostListed = 5

const listed = (paths: readonly string[]): string => {
  const shown = paths.slice(0, mostListed).map((path) => shorten(path, 120))
  return paths.length > shown.length ? `${shown.join(', ')} and ${paths.length - shown.length} more` : shown.join(', ')
}
