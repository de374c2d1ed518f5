import type { ReadTx } from '../../db/port.ts'
import { endedStates } from '../../kernel/run-state.ts'
import { listKeysOfRuns } from '../briefs/store.ts'
import type { ScopeParts } from '../scope.ts'
import type { Run, RunLine, RunStanding } from './contract.ts'
import { requireRun } from './find.ts'
import { standingOf } from './standing.ts'
import { countEndedRuns, listRuns } from './store.ts'
import type { Surroundings } from './waits-for.ts'

export interface RunListQuery {
  state?: RunStanding['state'] | undefined
  order?: 'newest' | 'open_first' | undefined
  dismissed?: boolean | undefined
  organisationId?: number | undefined
  /** The id of the last run of the page before. */
  before?: string | undefined
  limit: number
}

const maxOpen = 1_000_000

/** The state of an open run is derived, so all open runs are read to filter and count them; few are open at once. */
export async function listStandings(
  tx: ReadTx,
  query: RunListQuery,
  around: Surroundings,
  playbooks: ScopeParts['playbooks'],
): Promise<{ runs: RunLine[]; counts: Record<string, number> }> {
  const { organisationId } = query
  const open = await listRuns(tx, { hasEnded: false, organisationId, limit: maxOpen })
  const standings = new Map<string, RunStanding>()
  for (const run of open) standings.set(run.id, await standingOf(tx, run, around))
  const counts = await countEndedRuns(tx, organisationId)
  for (const { state } of standings.values()) counts[state] = (counts[state] ?? 0) + 1

  const last = query.before === undefined ? undefined : await requireRun(tx, query.before)
  const found = await findPage(tx, query, open, standings, last)
  const reached = await reachedKeys(tx, playbooks, found)
  const lines: RunLine[] = []
  for (const run of found)
    lines.push({
      ...withoutConfiguration(run),
      ...(standings.get(run.id) ?? (await standingOf(tx, run, around))),
      capKeys: reached.get(run.id),
    })
  return { runs: lines, counts }
}

async function findPage(
  tx: ReadTx,
  { state, order, dismissed, organisationId, limit }: RunListQuery,
  open: readonly Run[],
  standings: ReadonlyMap<string, RunStanding>,
  last: Run | undefined,
): Promise<Run[]> {
  if (state !== undefined && endedStates.includes(state))
    return listRuns(tx, { status: state, isDismissed: dismissed, organisationId, before: last, limit })
  const isAfter = (run: Run): boolean =>
    last === undefined || run.startedAt < last.startedAt || (run.startedAt === last.startedAt && run.id < last.id)
  if (state !== undefined)
    return dismissed === true
      ? []
      : open.filter((run) => standings.get(run.id)?.state === state && isAfter(run)).slice(0, limit)
  if (order !== 'open_first') return listRuns(tx, { isDismissed: dismissed, organisationId, before: last, limit })
  const first =
    dismissed !== true && (last === undefined || last.endedAt === null) ? open.filter(isAfter).slice(0, limit) : []
  if (first.length === limit) return first
  const before = last?.endedAt === null ? undefined : last
  const ended = await listRuns(tx, {
    hasEnded: true,
    isDismissed: dismissed,
    organisationId,
    before,
    limit: limit - first.length,
  })
  return [...first, ...ended]
}

/** Returns the cap keys that have briefs, for the runs of playbooks that have cap keys. */
async function reachedKeys(
  tx: ReadTx,
  playbooks: ScopeParts['playbooks'],
  found: readonly Run[],
): Promise<Map<string, string[]>> {
  const reached = new Map<string, string[]>()
  for (const [name, own] of Map.groupBy(found, ({ playbook }) => playbook)) {
    const ids = own.map(({ id }) => id)
    for (const [id, keys] of await listKeysOfRuns(tx, ids, playbooks.get(name)?.capKeys ?? [])) reached.set(id, keys)
  }
  return reached
}

const withoutConfiguration = ({ configuration: _, ...line }: Run): Omit<RunLine, keyof RunStanding> => line
