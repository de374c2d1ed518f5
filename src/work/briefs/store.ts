import { column, countRows, flag, text } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findFields, findRow, findRows, findRowsByKey, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Run } from '../runs/contract.ts'
import type { Brief, BriefHold, Dependency, Hold, HoldKind } from './contract.ts'

export const briefs = table<Brief>('briefs', {
  json: ['evidence', 'runtimeOptions', 'corrections', 'guidance', 'allowed', 'inputs', 'receives', 'data'],
  booleans: ['checkable', 'verifyFixed', 'startsAfterFailure'],
  added: {
    kind: 'work',
    verify: 'none',
    checkable: 1,
    verify_fixed: 0,
    verification_failures: 0,
    verification_limit: 3,
    similar_escalations: 0,
    guidance: '[]',
    provider: '',
    hold_count: 0,
    dispatch: 'spawn',
    tokens_used: 0,
    cost_micros: 0,
    allowed: '[]',
    inputs: '{}',
    receives: '[]',
    data: '{}',
    starts_after_failure: 0,
    escalations: 0,
  },
  stream: (row) => `run:${row.runId}`,
})

export const dependencies = table<Dependency>('dependencies', {
  key: ['briefId', 'afterId'],
  booleans: ['met'],
  isLeaf: true,
  stream: (row) => `run:${row.runId}`,
})

export const briefHolds = table<BriefHold>('brief_holds', {
  key: ['runId', 'briefId', 'kind', 'subject'],
  isLeaf: true,
  stream: (row) => `run:${row.runId}`,
})

export const findBrief = (tx: ReadTx, id: string): Promise<Brief | undefined> => findRow(tx, briefs, id)

/** The use of a brief changes while its agent works. */
export const findUseOf = (tx: ReadTx, id: string) => findFields(tx, briefs, ['tokensUsed', 'costMicros'], id)

export const listBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, 'run_id = ? ORDER BY created_at, number, id', [runId])

export async function findBriefByKey(tx: ReadTx, runId: string, key: string): Promise<Brief | undefined> {
  return (await findRows(tx, briefs, 'run_id = ? AND key = ?', [runId, key]))[0]
}

/** Lists the briefs of a run that have these keys. */
export function listBriefsByKey(tx: ReadTx, runId: string, keys: readonly string[]): Promise<Brief[]> {
  if (keys.length === 0) return Promise.resolve([])
  return findRows(tx, briefs, `run_id = ? AND key IN (${keys.map(() => '?').join(', ')})`, [runId, ...keys])
}

/** Lists these briefs in the order in which they were made. */
export const listBriefsById = async (tx: ReadTx, ids: readonly string[]): Promise<Brief[]> =>
  (await findRowsByKey(tx, briefs, ids)).sort(
    (a, b) => compare(a.createdAt, b.createdAt) || compare(a.number ?? 0, b.number ?? 0) || compare(a.id, b.id),
  )

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

export const listBriefsByStatus = (tx: ReadTx, status: string, limit: number): Promise<Brief[]> =>
  findRows(tx, briefs, `status = ? ORDER BY updated_at DESC, id ${boundLimit}`, [status, limit])

export const listOpenBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status NOT IN ('done', 'failed', 'cancelled') ORDER BY created_at, number, id", [
    runId,
  ])

/** Lists the dependencies of a run, up to the number that a graph can show. */
export const listDependencies = (tx: ReadTx, runId: string): Promise<Dependency[]> =>
  findRows(
    tx,
    dependencies,
    'brief_id IN (SELECT id FROM briefs WHERE run_id = ?) ORDER BY brief_id, after_id LIMIT 20000',
    [runId],
  )

/** Lists all dependencies of a run. */
export const listAllDependencies = (tx: ReadTx, runId: string): Promise<Dependency[]> =>
  findRows(tx, dependencies, 'brief_id IN (SELECT id FROM briefs WHERE run_id = ?) ORDER BY brief_id, after_id', [
    runId,
  ])

/** Lists the unmet dependencies on this brief. */
export const listDependents = (tx: ReadTx, briefId: string): Promise<Dependency[]> =>
  findRows(tx, dependencies, 'after_id = ? AND met = 0 ORDER BY brief_id', [briefId])

/** Lists the dependencies of this brief, met or unmet. */
export const listDependenciesOf = (tx: ReadTx, briefId: string): Promise<Dependency[]> =>
  findRows(tx, dependencies, 'brief_id = ? ORDER BY after_id', [briefId])

/** Lists all dependencies on this brief, met or unmet. */
export const listFollowers = (tx: ReadTx, briefId: string): Promise<Dependency[]> =>
  findRows(tx, dependencies, 'after_id = ? ORDER BY brief_id', [briefId])

/** Counts the ready briefs of one run, independent of holds on the run itself. */
export const countReadyBriefs = (tx: ReadTx, runId: string): Promise<number> =>
  countRows(
    sqlOf(tx),
    "SELECT COUNT(*) AS count FROM briefs WHERE run_id = ? AND status = 'pending' AND unmet_dependencies = 0 AND hold_count = 0",
    [runId],
  )

/** Lists the cap keys of briefs that may start now. */
export const listReadyKeys = (tx: ReadTx, runId: string): Promise<string[]> =>
  capKeys.all(
    sqlOf(tx),
    "SELECT DISTINCT cap_key FROM briefs WHERE run_id = ? AND status = 'pending' AND unmet_dependencies = 0 AND hold_count = 0 AND cap_key IS NOT NULL ORDER BY cap_key",
    [runId],
  )

const capKeys = column('cap_key', text)

/**
 * Lists which of these cap keys the briefs of each run have, in the given order. Each EXISTS finds its first row early.
 */
export async function listKeysOfRuns(
  tx: ReadTx,
  runIds: readonly string[],
  keys: readonly string[],
): Promise<Map<string, string[]>> {
  if (runIds.length === 0 || keys.length === 0) return new Map()
  const has = keys.map(
    (_, index) => `EXISTS (SELECT 1 FROM briefs b WHERE b.run_id = r.id AND b.cap_key = ?) AS key_${index}`,
  )
  const rows = await sqlOf(tx).all(
    `SELECT r.id, ${has.join(', ')} FROM runs r WHERE r.id IN (${runIds.map(() => '?').join(', ')})`,
    [...keys, ...runIds],
  )
  return new Map(rows.map((row) => [String(row['id']), keys.filter((_, index) => flag(row[`key_${index}`]) === true)]))
}

/** Counts the work of a run that was replaced, or cancelled while the run went on. */
export const countDroppedBriefs = (tx: ReadTx, runId: string): Promise<number> =>
  countRows(
    sqlOf(tx),
    "SELECT COUNT(*) AS count FROM briefs WHERE run_id = ? AND kind = 'work' AND status = 'cancelled'",
    [runId],
  )

/** Lists the cap keys of the briefs of a group that have started. */
export const listKeysBegun = (tx: ReadTx, runId: string, groupKey: string): Promise<string[]> =>
  capKeys.all(
    sqlOf(tx),
    "SELECT DISTINCT cap_key FROM briefs WHERE run_id = ? AND group_key = ? AND attempts > 0 AND status <> 'cancelled' AND cap_key IS NOT NULL ORDER BY cap_key",
    [runId, groupKey],
  )

export const listHoldsOfBrief = (tx: ReadTx, { runId, id }: Pick<Brief, 'runId' | 'id'>): Promise<BriefHold[]> =>
  findRows(tx, briefHolds, 'run_id = ? AND brief_id = ? ORDER BY kind, subject', [runId, id])

export const listHoldsOfRun = (tx: ReadTx, runId: string): Promise<BriefHold[]> =>
  findRows(tx, briefHolds, 'run_id = ? ORDER BY brief_id, kind, subject', [runId])

/** A pending hold always has a pending row of its brief, so that both are flushed before this query. */
export const listBriefsHeldBy = (tx: ReadTx, runId: string, { kind, subject }: Hold): Promise<Brief[]> =>
  findRows(
    tx,
    briefs,
    `run_id = ? AND hold_count > 0
AND id IN (SELECT brief_id FROM brief_holds WHERE run_id = ? AND kind = ? AND subject = ?) ORDER BY created_at, number, id`,
    [runId, runId, kind, subject],
  )

/** Lists the runs with briefs that are held for this reason. */
export const listRunIdsHeldBy = (tx: ReadTx, kind: HoldKind): Promise<string[]> =>
  column('run_id', text).all(
    sqlOf(tx),
    'SELECT DISTINCT run_id FROM brief_holds WHERE kind = ? ORDER BY run_id LIMIT 1000',
    [kind],
  )

/** Finds the first brief of a run that nothing of its own holds; after a failure, one that is to resolve it. */
export async function findReadyBrief(
  tx: ReadTx,
  { id, briefsFailed, abandoned }: Pick<Run, 'id' | 'briefsFailed' | 'abandoned'>,
): Promise<Brief | undefined> {
  if (briefsFailed > 0 && abandoned) return undefined
  const resolves = briefsFailed === 0 ? '' : ' AND starts_after_failure = 1'
  return (
    await findRows(
      tx,
      briefs,
      `run_id = ? AND status = 'pending' AND unmet_dependencies = 0 AND hold_count = 0${resolves} ORDER BY created_at, id LIMIT 1`,
      [id],
    )
  )[0]
}

export const listBriefsOfPart = (tx: ReadTx, runId: string, part: string): Promise<Brief[]> =>
  findRows(tx, briefs, 'run_id = ? AND part = ? ORDER BY created_at, number, id', [runId, part])

export const listNonVerifiersOfPart = (tx: ReadTx, runId: string, part: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND part = ? AND kind <> 'verify' ORDER BY created_at, number, id", [runId, part])

export const isBranchTaken = async (tx: ReadTx, runId: string, branch: string): Promise<boolean> =>
  (await sqlOf(tx).get('SELECT 1 AS taken FROM briefs WHERE run_id = ? AND branch = ? LIMIT 1', [runId, branch])) !==
  undefined

/** Lists the briefs of the given groups, or of all. */
export function listBriefsOfGroups(tx: ReadTx, runId: string, keys: readonly string[] | 'all'): Promise<Brief[]> {
  const order = 'ORDER BY created_at, number, id'
  if (keys === 'all') return findRows(tx, briefs, `run_id = ? AND group_key IS NOT NULL ${order}`, [runId])
  if (keys.length === 0) return Promise.resolve([])
  const marks = keys.map(() => '?').join(', ')
  return findRows(tx, briefs, `run_id = ? AND group_key IN (${marks}) ${order}`, [runId, ...keys])
}

export const listFailedBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status = 'failed' AND kind <> 'verify' ORDER BY updated_at, id", [runId])

/** Returns the newest planner of the run. A brief that asks a seat is of kind plan too, but it is a step. */
export async function findPlanner(tx: ReadTx, runId: string): Promise<Brief | undefined> {
  return (
    await findRows(
      tx,
      briefs,
      "run_id = ? AND kind = 'plan' AND phase IS NULL ORDER BY created_at DESC, id DESC LIMIT 1",
      [runId],
    )
  )[0]
}

/** Lists the keys of the oldest finished work of a run, as far as it stands. */
export const listWorkKeys = (tx: ReadTx, runId: string, most: number): Promise<string[]> =>
  column('key', text).all(
    sqlOf(tx),
    `SELECT key FROM briefs WHERE run_id = ? AND kind = 'work' AND status IN ('verified', 'done')
ORDER BY created_at, number, id ${boundLimit}`,
    [runId, most],
  )

/** Lists verified work without dependents, cancelled ones and repairs not counted: the result of the run. */
export const listLastBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(
    tx,
    briefs,
    `run_id = ? AND status = 'verified' AND kind = 'work' AND repairs IS NULL
AND NOT EXISTS (SELECT 1 FROM dependencies d JOIN briefs w ON w.id = d.brief_id
WHERE d.after_id = briefs.id AND w.status <> 'cancelled') ORDER BY created_at, number, id`,
    [runId],
  )

/** Lists the briefs of a run that a persona or a seat does, without verifiers. */
export const listBriefsDoneBy = (
  tx: ReadTx,
  runId: string,
  { personaId, positionId }: Pick<Brief, 'personaId' | 'positionId'>,
): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND kind <> 'verify' AND (persona_id = ? OR position_id = ?)", [
    runId,
    personaId,
    positionId,
  ])

export const listVerifiedBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status = 'verified' AND kind = 'work' ORDER BY created_at, number, id", [runId])

/** Lists the open verifiers of this brief. */
export const listVerifiersOf = (tx: ReadTx, briefId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "verifies = ? AND status NOT IN ('done', 'failed', 'cancelled') ORDER BY created_at, id", [
    briefId,
  ])

/** Reports whether a verifier of the run has begun: it has a workspace of its own. */
export const hasVerifiers = async (tx: ReadTx, runId: string): Promise<boolean> =>
  (await findRows(tx, briefs, "run_id = ? AND kind = 'verify' AND attempts > 0 LIMIT 1", [runId])).length > 0
