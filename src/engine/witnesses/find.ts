import { shorten } from '../../kernel/text.ts'
import type { FileChange, FileReplacement } from '../../repositories/port.ts'
import type { Evidence, Odd } from '../../work/evidence/contract.ts'
import { besideOlderTests } from './new-tests.ts'
import { isNamedWitness, type NamedFiles, wordsOfCommands } from './named-files.ts'
import { isAskedFor, isCalledCheck } from './names.ts'
import type { IsUsed, PartedFile, Parts } from './parted.ts'
import { partedFile } from './parts.ts'
import { basicPrograms, hostPrograms } from './programs.ts'
import { requiredModules } from './distributions.ts'
import { filesOfSetup } from './setup-files.ts'
import { testedPaths } from './tested-files.ts'
import {
  isModuleOf,
  looksLikeSettings,
  namedTest,
  nestedPackage,
  shadowingPackage,
  type Witness,
  witnessAt,
} from './table.ts'

/** A change of a file on which evidence rests, or a new file that a tool loads by itself. */
export interface WitnessChange {
  readonly kind: Odd['kind']
  /** Its path in the commit that the work began with, or its new one. */
  readonly path: string
  readonly change: 'changed' | 'deleted' | 'moved' | 'new'
  /** The change in one line, for people. */
  readonly text: string
  /** Whether it can change the result of a command. */
  readonly isRun: boolean
  /** Undoes the change. */
  readonly undo: readonly FileReplacement[]
}

export interface ChangedWork {
  /** The commit that the work began with. */
  readonly start: string
  readonly changes: readonly FileChange[]
  readonly evidence: readonly Evidence[]
  /** The command that makes a checkout runnable; null: that of its lockfile. */
  readonly setup: string | null
  /** The words of the brief, which may name the files that it is about. */
  readonly asked: string
  read(commit: 'start' | 'work', path: string): Promise<string | null>
  pathsAtStart(): Promise<readonly string[]>
}

export interface WitnessChanges {
  readonly witnesses: readonly WitnessChange[]
  /** New tests are not odd, but older ones must hold without them. */
  readonly newTests: readonly WitnessChange[]
}

/** Finds the changes on which the result of the evidence may rest. */
export async function findWitnessChanges(given: ChangedWork): Promise<WitnessChanges> {
  const { changes, evidence, asked } = given
  if (changes.length === 0) return { witnesses: [], newTests: [] }
  const work = withoutMarks(given)
  const pathsAtStart = once(work.pathsAtStart)
  const readStart = (path: string): Promise<string | null> => work.read('start', path)
  const named = await wordsOfCommands(evidence, { read: readStart, paths: pathsAtStart })
  const isUsed = (program: string): boolean => isUsedProgram(program, named, asked)
  const checks = checksAtStart(pathsAtStart, named)
  const inSetup = named.directories.size === 0 ? new Set<string>() : await filesOfSetup(given.setup, readStart)
  const required = once(async () => requiredModules(await pathsAtStart(), readStart))
  const tested = named.tested.size === 0 ? named.tested : testedPaths(named.tested, await pathsAtStart(), isTest)
  const at = ({ isLink }: FileChange, path: string): Witness | null => {
    const found =
      // A link to a directory stands for the files below it.
      witnessAt(path, named.directories) ?? (isLink ? witnessAt(`${path}/__init__.py`, named.directories) : null)
    return found?.unlessAsked === true && isAskedFor(path, asked) ? null : found
  }
  const found: WitnessChange[] = []
  const newTests = new Map<string, WitnessChange>()
  for (const change of changes) {
    const before = change.status === 'added' ? null : (change.movedFrom ?? change.path)
    const known =
      before === null
        ? null
        : (at(change, before) ?? (tested.has(before) ? namedTest : namedAt(before, named, inSetup, asked)))
    if (before !== null && known !== null) {
      const changed = await changeOf(work, change, before, known, isUsed)
      if (changed !== null) found.push(changed)
    }
    if (change.status !== 'added' && change.status !== 'moved') continue
    const added = at(change, change.path)
    if (added?.kind === 'tests' && !named.words.has(change.path)) newTests.set(change.path, additionOf(change, added))
    if (isNested(change.path, await pathsAtStart())) found.push(additionOf(change, nestedPackage))
    else if (added?.whenNew === 'odd' || (added?.whenNew === 'odd with tests' && (await checks.areNear(change.path))))
      found.push(additionOf(change, added))
    else if (added === null && isModule(change) && isModuleOf(moduleOf(change), await required(), named.directories))
      found.push(additionOf(change, shadowingPackage))
    else if (added?.kind === 'scripts') found.push(...(await newPartsOf(work, change, added, isUsed, checks)))
  }
  const removable = newTests.size === 0 ? [] : besideOlderTests([...newTests.keys()], await pathsAtStart(), isTest)
  return { witnesses: found, newTests: removable.flatMap((path) => newTests.get(path) ?? []) }
}

/** Reads files as tools do: without a byte order mark. */
const withoutMarks = (work: ChangedWork): ChangedWork => ({
  ...work,
  read: async (commit, path) => (await work.read(commit, path))?.replace(/^\uFEFF/, '') ?? null,
})

const isTest = (path: string): boolean => witnessAt(path)?.kind === 'tests'

const isModule = ({ path, isLink }: FileChange): boolean => isLink || path.endsWith('.py')
const moduleOf = ({ path, isLink }: FileChange): string => (isLink ? `${path}/__init__.py` : path)

/** Reports whether a new program of this name would stand before one that checks use, and is not the work itself. */
function isUsedProgram(program: string, { programs }: NamedFiles, asked: string): boolean {
  if (basicPrograms.has(program) || hostPrograms.has(program)) return true
  return programs.has(program) && !asked.split(/[^\w@./-]+|[./]+(?=\s|$)/).includes(program)
}

interface Checks {
  /** Whether the start has checks at all. */
  exist(): Promise<boolean>
  /** Whether the start has tests below the directory of a file, or a command runs there. */
  areNear(path: string): Promise<boolean>
}

function checksAtStart(pathsAtStart: () => Promise<readonly string[]>, named: NamedFiles): Checks {
  const tests = once(async () => (await pathsAtStart()).filter(isTest))
  return {
    exist: async () =>
      (await tests()).length > 0 || (await pathsAtStart()).some((path) => named.words.has(path) && isCalledCheck(path)),
    areNear: async (path) => {
      const directory = path.split('/').slice(0, -1).join('/')
      const isHere = directory === '' || named.directories.has(directory)
      return (await tests()).some((test) => isHere || test.startsWith(`${directory}/`))
    },
  }
}

/** Compares a new file with an empty one: only the parts that take effect by themselves are odd. */
async function newPartsOf(
  work: ChangedWork,
  change: FileChange,
  { kind, isRun }: Witness,
  isUsed: IsUsed,
  checks: Checks,
): Promise<WitnessChange[]> {
  const { path, isLink } = change
  const parted = partedFile(path, isUsed)
  if (parted === null) return []
  const common = { kind, path, isRun, change: 'new' } as const
  const text = isLink ? null : await work.read('work', path)
  const parts = text === null || isUnreadable(text) ? null : parted.partsOf(text)
  if (text === null || parts === null)
    return (await checks.areNear(path))
      ? [{ ...common, text: `${named(path)} is new and cannot be read`, undo: [{ path, as: null }] }]
      : []
  const [areNear, exist] = [await checks.areNear(path), await checks.exist()]
  const reaching = [...parts].filter(([name]) => areNear || (exist && parted.reachesOut?.(name) === true))
  const lines = differencesOf(parted, new Map(), new Map(reaching))
  if (lines.length === 0) return []
  const back = parted.putBack(text, '')
  const undo = [{ path, as: back.trim() === '' ? null : { text: back } }]
  return [{ ...common, text: `${named(path)} is new: ${shorten(lines.join(', '), 300)}`, undo }]
}

/** A text in another encoding is read by some tools. */
const isUnreadable = (text: string): boolean => /[\0\uFFFD]/.test(text)

/** Reports whether a package.json is new in a directory that is not. */
function isNested(path: string, pathsAtStart: readonly string[]): boolean {
  if (!path.endsWith('/package.json')) return false
  const directory = path.slice(0, -'package.json'.length)
  return pathsAtStart.some((each) => each.startsWith(directory))
}

const namedAt = (path: string, named: NamedFiles, inSetup: ReadonlySet<string>, asked: string): Witness | null =>
  isNamedWitness(path, named, asked) ||
  ((inSetup.has(path) || looksLikeSettings(path, named.directories)) && !isAskedFor(path, asked))
    ? { kind: 'scripts', whenNew: 'fine', effect: '', isRun: true }
    : null

async function changeOf(
  work: ChangedWork,
  { status, path, isLink }: FileChange,
  before: string,
  { kind, isRun }: Witness,
  isUsed: IsUsed,
): Promise<WitnessChange | null> {
  const common = { kind, path: before, isRun, undo: [{ path: before, as: { commit: work.start } }] }
  if (status === 'deleted') return { ...common, change: 'deleted', text: `${named(before)} was deleted` }
  if (status === 'moved') return { ...common, change: 'moved', text: `${named(before)} was moved to ${named(path)}` }
  if (isLink) return { ...common, change: 'changed', text: `${named(before)} is a symbolic link now` }
  const parted = partedFile(before, isUsed)
  if (parted !== null) return changeOfParts(work, before, parted, common)
  return { ...common, change: 'changed', text: `${named(before)} was changed` }
}

/** Compares only the parts on which checks rest; null: none of them was changed. */
async function changeOfParts(
  work: ChangedWork,
  path: string,
  parted: PartedFile,
  common: Omit<WitnessChange, 'change' | 'text'>,
): Promise<WitnessChange | null> {
  const [start, text] = [await work.read('start', path), await work.read('work', path)]
  const isCompared = start !== null && text !== null && !isUnreadable(start) && !isUnreadable(text)
  const [before, after] = isCompared ? [parted.partsOf(start), parted.partsOf(text)] : [null, null]
  // A file that cannot be read, or is too large to be compared, counts as a whole.
  if (start === null || text === null || before === null || after === null)
    return { ...common, change: 'changed', text: `${named(path)} was changed` }
  const lines = differencesOf(parted, before, after)
  if (lines.length === 0) return null
  const undo = [{ path, as: { text: parted.putBack(text, start) } }]
  return { ...common, change: 'changed', text: `${named(path)}: ${shorten(lines.join(', '), 300)}`, undo }
}

function differencesOf(parted: PartedFile, before: Parts, after: Parts): string[] {
  if (parted.differences !== undefined) return parted.differences(before, after)
  const lines: string[] = []
  for (const [name, value] of before) {
    const now = after.get(name)
    if (now === undefined) lines.push(`${parted.describe(name)} was removed`)
    else if (now !== value) lines.push(`${parted.describe(name)} was changed`)
  }
  for (const name of after.keys())
    if (!before.has(name) && parted.runsByItself(name, before))
      lines.push(`${parted.describe(name)} is new and takes effect by itself`)
  return lines
}

const additionOf = ({ path }: FileChange, { kind, effect, isRun }: Witness): WitnessChange => ({
  kind,
  path,
  change: 'new',
  text: `${named(path)} is new: ${effect}`,
  isRun,
  undo: [{ path, as: null }],
})

/** The name of a file is an agent's text. */
const named = (path: string): string => shorten(path.replace(/\p{Cc}/gu, '?'), 200)

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => (made ??= make())
}
