import { shorten } from '../../kernel/text.ts'
import type { FileChange, FileReplacement } from '../../repositories/port.ts'
import type { Evidence, Odd } from '../../work/evidence/contract.ts'
import { besideOlderTests } from './new-tests.ts'
import { isNamedWitness, type NamedFiles, wordsOfCommands } from './named-files.ts'
import { type PartedFile, partedFile, type Parts } from './parts.ts'
import { testedPaths } from './tested-files.ts'
import { namedTest, nestedPackage, type Witness, witnessAt } from './table.ts'

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
export async function findWitnessChanges(work: ChangedWork): Promise<WitnessChanges> {
  const { changes, evidence, asked } = work
  if (changes.length === 0) return { witnesses: [], newTests: [] }
  const pathsAtStart = once(work.pathsAtStart)
  const named = await wordsOfCommands(evidence, { read: (path) => work.read('start', path), paths: pathsAtStart })
  const isTest = (path: string): boolean => witnessAt(path)?.kind === 'tests'
  const hasTests = once(async () => (await pathsAtStart()).some(isTest))
  const tested = named.tested.size === 0 ? named.tested : testedPaths(named.tested, await pathsAtStart(), isTest)
  const at = ({ isLink }: FileChange, path: string): Witness | null =>
    // A link to a directory stands for the files below it.
    witnessAt(path, named.directories) ?? (isLink ? witnessAt(`${path}/__init__.py`, named.directories) : null)
  const found: WitnessChange[] = []
  const newTests = new Map<string, WitnessChange>()
  for (const change of changes) {
    const before = change.status === 'added' ? null : (change.movedFrom ?? change.path)
    const known =
      before === null ? null : (at(change, before) ?? (tested.has(before) ? namedTest : namedAt(before, named, asked)))
    if (before !== null && known !== null) {
      const changed = await changeOf(work, change, before, known)
      if (changed !== null) found.push(changed)
    }
    const isNew = change.status === 'added' || change.status === 'moved'
    if (isNew && isNested(change.path, await pathsAtStart())) found.push(additionOf(change, nestedPackage))
    const added = isNew ? at(change, change.path) : null
    if (added?.kind === 'tests' && !named.words.has(change.path)) newTests.set(change.path, additionOf(change, added))
    if (added === null || added.whenNew === 'fine') continue
    if (added.whenNew === 'odd' || (await hasTests())) found.push(additionOf(change, added))
  }
  const removable = newTests.size === 0 ? [] : besideOlderTests([...newTests.keys()], await pathsAtStart(), isTest)
  return { witnesses: found, newTests: removable.flatMap((path) => newTests.get(path) ?? []) }
}

/** Reports whether a package.json is new in a directory that is not. */
function isNested(path: string, pathsAtStart: readonly string[]): boolean {
  if (!path.endsWith('/package.json')) return false
  const directory = path.slice(0, -'package.json'.length)
  return pathsAtStart.some((each) => each.startsWith(directory))
}

const namedAt = (path: string, named: NamedFiles, asked: string): Witness | null =>
  isNamedWitness(path, named, asked) ? { kind: 'scripts', whenNew: 'fine', effect: '', isRun: true } : null

async function changeOf(
  work: ChangedWork,
  { status, path, isLink }: FileChange,
  before: string,
  { kind, isRun }: Witness,
): Promise<WitnessChange | null> {
  const common = { kind, path: before, isRun, undo: [{ path: before, as: { commit: work.start } }] }
  if (status === 'deleted') return { ...common, change: 'deleted', text: `${named(before)} was deleted` }
  if (status === 'moved') return { ...common, change: 'moved', text: `${named(before)} was moved to ${named(path)}` }
  if (isLink) return { ...common, change: 'changed', text: `${named(before)} is a symbolic link now` }
  const parted = partedFile(before)
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
  // A file that is too large to be compared counts as a whole.
  if (start === null || text === null) return { ...common, change: 'changed', text: `${named(path)} was changed` }
  const [before, after] = [parted.partsOf(start), parted.partsOf(text)]
  const lines = parted.differences?.(before, after) ?? differences(parted, before, after)
  if (lines.length === 0) return null
  const undo = [{ path, as: { text: parted.putBack(text, start) } }]
  return { ...common, change: 'changed', text: `${named(path)}: ${shorten(lines.join(', '), 300)}`, undo }
}

function differences(parted: PartedFile, before: Parts, after: Parts): string[] {
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
