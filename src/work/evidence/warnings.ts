import type { ReadTx } from '../../db/port.ts'
import { type CheckedIn, checkedInWarning } from '../../kernel/checked-in.ts'
import { listCheckPlaces } from './store.ts'

const maxNamed = 10

/** Returns a sentence for each place, other than a fresh checkout, where work of a run was checked, with its briefs. */
export async function checkWarnings(tx: ReadTx, runId: string): Promise<string[]> {
  const places = Map.groupBy(await listCheckPlaces(tx, runId), ({ checkedIn }) => checkedIn as CheckedIn)
  return [...places].flatMap(([place, briefs]) => {
    const warning = checkedInWarning(place)
    return warning === null ? [] : [`${warning} (${named(briefs.map(({ key }) => key))})`]
  })
}

const named = (keys: readonly string[]): string =>
  keys.length > maxNamed ? `${keys.slice(0, maxNamed).join(', ')} and ${keys.length - maxNamed} more` : keys.join(', ')
