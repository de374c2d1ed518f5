import type { ReadTx } from '../../db/port.ts'
import {
  type CheckedIn,
  checkedInWarning,
  unboxedWarning,
  uncheckedBoxWarning,
  unseenOdd,
} from '../../kernel/checked-in.ts'
import { oneLine, shorten } from '../../kernel/text.ts'
import type { Run } from '../runs/contract.ts'
import type { Odd } from './contract.ts'
import { listCheckedUnboxed, listCheckPlaces, listOdd, listUnboxed } from './store.ts'

const maxNamed = 10
const maxOdd = 20

/** Returns every sentence that a person must read before the result of a run is accepted, one line each. */
export async function resultWarnings(tx: ReadTx, run: Pick<Run, 'id' | 'repository'>): Promise<string[]> {
  return [...(await proofWarnings(tx, run)), ...(await oddLines(tx, run))]
}

/** Returns a sentence for everything that makes the evidence of a run prove less than usual. */
export const proofWarnings = async (tx: ReadTx, { id }: Pick<Run, 'id'>): Promise<string[]> => [
  ...(await boxWarnings(tx, id)),
  ...(await placeWarnings(tx, id)),
]

/** Returns a sentence if agents, or commands that checked their work, had no box. */
async function boxWarnings(tx: ReadTx, runId: string): Promise<string[]> {
  const unboxed = await listUnboxed(tx, runId)
  if (unboxed.length > 0) return [`${unboxedWarning} (${named(unboxed)})`]
  const checked = await listCheckedUnboxed(tx, runId)
  return checked.length === 0 ? [] : [`${uncheckedBoxWarning} (${named(checked)})`]
}

/** Returns a sentence for each place, other than a fresh checkout, where work of a run was checked, with its briefs. */
async function placeWarnings(tx: ReadTx, runId: string): Promise<string[]> {
  const places = Map.groupBy(await listCheckPlaces(tx, runId), ({ checkedIn }) => checkedIn as CheckedIn)
  return [...places].flatMap(([place, briefs]) => {
    const warning = checkedInWarning(place)
    return warning === null ? [] : [`${warning} (${named(briefs.map(({ key }) => key))})`]
  })
}

/** Returns a line for each odd change, with the command that shows it. Those that no verifier was shown come first. */
export async function oddLines(tx: ReadTx, run: Pick<Run, 'id' | 'repository'>): Promise<string[]> {
  const all = (await listOdd(tx, run.id)).toSorted((a, b) => Number(a.isJudged) - Number(b.isJudged))
  const lines = all.slice(0, maxOdd).map(({ key, odd, isJudged }) => {
    const seen = isJudged ? '' : ` (${unseenOdd})`
    return `${key}: ${shorten(oneLine(odd.text), 300)}${seen}${run.repository === null ? '' : diffOf(run.id, odd)}`
  })
  const more = all.length - lines.length
  return more === 0 ? lines : [...lines, `and ${more} more odd changes: agency inspect ${run.id}`]
}

const diffOf = (runId: string, { path }: Odd): string =>
  path === null ? '' : `: agency pr diff ${runId} --path ${quoted(path)}`

/** Quotes a path for a shell, unless it needs no quotes. */
const quoted = (path: string): string =>
  /^[\w./@+-]+$/.test(path) ? path : `'${oneLine(path).replaceAll("'", `'\\''`)}'`

const named = (keys: readonly string[]): string =>
  keys.length > maxNamed ? `${keys.slice(0, maxNamed).join(', ')} and ${keys.length - maxNamed} more` : keys.join(', ')
