import { column, columns, countRows, flag, text } from '../../db/columns.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx } from '../../db/port.ts'
import { findFields, findRow, findRows, table } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import { type Brief, type BriefHold, type Dependency, type Hold, type HoldKind, type Tier, tiers } from './contract.ts'

export const briefs = table<Brief>('briefs', {
  json: ['evidence', 'runtimeOptions', 'corrections', 'guidance', 'allowed', 'inputs', 'files'],
  booleans: ['checkable', 'opaque'],
  added: {
    kind: 'work',
    verify: 'none',
    checkable: 1,
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
    files: '[]',
    opaque: 0,
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

export async function listBriefsById(tx: ReadTx, ids: readonly string[]): Promise<Brief[]> {
  const [first] = ids
  if (first !== undefined && ids.length === 1) {
    // A single brief is the usual case, and the store may know it by its key.
    const brief = await findBrief(tx, first)
    return brief === undefined ? [] : [brief]
  }
  return findRows(tx, briefs, `id IN (${ids.map(() => '?').join(', ')}) ORDER BY created_at, number, id`, ids)
}

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

/** Lists the tiers with briefs that may start now, highest first. */
export const listReadyTiers = (tx: ReadTx, runId: string): Promise<string[]> =>
  tierNames.all(
    sqlOf(tx),
    "SELECT DISTINCT tier FROM briefs WHERE run_id = ? AND status = 'pending' AND unmet_dependencies = 0 AND hold_count = 0 AND tier IS NOT NULL ORDER BY tier",
    [runId],
  )

const tierNames = column('tier', text)

/**
 * Lists the tiers of each run that have briefs, highest first. Tiers start one after the other, so each EXISTS finds its
 * first row early.
 */
export async function listTiersOfRuns(tx: ReadTx, runIds: readonly string[]): Promise<Map<string, Tier[]>> {
  if (runIds.length === 0) return new Map()
  const has = tiers.map(
    (tier) => `EXISTS (SELECT 1 FROM briefs b WHERE b.run_id = r.id AND b.tier = '${tier}') AS ${tier}`,
  )
  const rows = await tiersOfRuns.all(
    sqlOf(tx),
    `SELECT r.id, ${has.join(', ')} FROM runs r WHERE r.id IN (${runIds.map(() => '?').join(', ')})`,
    [...runIds],
  )
  return new Map(rows.map((row) => [row.id, tiers.filter((tier) => row[tier])]))
}

const tierFlags = Object.fromEntries(tiers.map((tier) => [tier, flag])) as Record<Tier, typeof flag>
const tiersOfRuns = columns({ id: text, ...tierFlags })

/** Lists the tiers that have worked on a workstream, highest first. */
export const listTiersBegun = (tx: ReadTx, runId: string, workstream: string): Promise<string[]> =>
  tierNames.all(
    sqlOf(tx),
    "SELECT DISTINCT tier FROM briefs WHERE run_id = ? AND workstream = ? AND attempts > 0 AND status <> 'cancelled' AND tier IS NOT NULL ORDER BY tier",
    [runId, workstream],
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

/** Finds the first brief of a run that nothing of its own holds. */
export async function findReadyBrief(tx: ReadTx, runId: string): Promise<Brief | undefined> {
  return (
    await findRows(
      tx,
      briefs,
      "run_id = ? AND status = 'pending' AND unmet_dependencies = 0 AND hold_count = 0 ORDER BY created_at, id LIMIT 1",
      [runId],
    )
  )[0]
}

export const listBriefsOfPart = (tx: ReadTx, runId: string, part: string): Promise<Brief[]> =>
  findRows(tx, briefs, 'run_id = ? AND part = ? ORDER BY created_at, number, id', [runId, part])

export const isBranchTaken = async (tx: ReadTx, runId: string, branch: string): Promise<boolean> =>
  (await sqlOf(tx).get('SELECT 1 AS taken FROM briefs WHERE run_id = ? AND branch = ? LIMIT 1', [runId, branch])) !==
  undefined

/** Lists the briefs of the given workstreams, or of all. */
export function listBriefsOfWorkstreams(tx: ReadTx, runId: string, names: readonly string[] | 'all'): Promise<Brief[]> {
  const order = 'ORDER BY created_at, number, id'
  if (names === 'all') return findRows(tx, briefs, `run_id = ? AND workstream IS NOT NULL ${order}`, [runId])
  if (names.length === 0) return Promise.resolve([])
  const marks = names.map(() => '?').join(', ')
  return findRows(tx, briefs, `run_id = ? AND workstream IN (${marks}) ${order}`, [runId, ...names])
}

export const listFailedBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status = 'failed' AND kind <> 'verify' ORDER BY updated_at, id", [runId])

/** Returns the newest planning brief of the run. */
export async function findPlanner(tx: ReadTx, runId: string): Promise<Brief | undefined> {
  return (
    await findRows(tx, briefs, "run_id = ? AND kind = 'plan' ORDER BY created_at DESC, id DESC LIMIT 1", [runId])
  )[0]
}

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

export const listVerifiedBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status = 'verified' AND kind = 'work' ORDER BY created_at, number, id", [runId])

/** Lists the open verifiers of this brief. */
export const listVerifiersOf = (tx: ReadTx, briefId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "verifies = ? AND status NOT IN ('done', 'failed', 'cancelled') ORDER BY created_at, id", [
    briefId,
  ])
