import { column, columns, countRows, flag, integer, oneOf, optional, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findFields, findRow, findRows, table } from '../../db/table.ts'
import { openTx, sqlOf } from '../../db/tx.ts'
import { bug } from '../../kernel/errors.ts'
import { isAbove, isFull } from '../budgets/store.ts'
import { isStopped } from '../stops/store.ts'
import { type Brief, type Dependency, type Tier, tiers } from './contract.ts'

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
  stream: (row) => `run:${row.runId}`,
})

export const findBrief = (tx: ReadTx, id: string): Promise<Brief | undefined> => findRow(tx, briefs, id)

/** What is used of its own limits changes while an agent is at work on it. */
export const findMoneyOf = (tx: ReadTx, id: string) =>
  findFields(tx, briefs, ['tokenBudget', 'costLimitMicros', 'tokensUsed', 'costMicros'], id)

export const listBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, 'run_id = ? ORDER BY created_at, number, id', [runId])

export async function findBriefByKey(tx: ReadTx, runId: string, key: string): Promise<Brief | undefined> {
  return (await findRows(tx, briefs, 'run_id = ? AND key = ?', [runId, key]))[0]
}

export const listBriefsById = (tx: ReadTx, ids: readonly string[]): Promise<Brief[]> =>
  findRows(tx, briefs, `id IN (${ids.map(() => '?').join(', ')}) ORDER BY created_at, number, id`, ids)

export const listBriefsByStatus = (tx: ReadTx, status: string, limit: number): Promise<Brief[]> =>
  findRows(tx, briefs, 'status = ? ORDER BY updated_at DESC, id LIMIT ?', [status, limit])

export const listOpenBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status NOT IN ('done', 'failed', 'cancelled') ORDER BY created_at, number, id", [
    runId,
  ])

/** What waits for what in a run; as many as anybody could draw. */
export const listDependencies = (tx: ReadTx, runId: string): Promise<Dependency[]> =>
  findRows(
    tx,
    dependencies,
    'brief_id IN (SELECT id FROM briefs WHERE run_id = ?) ORDER BY brief_id, after_id LIMIT 20000',
    [runId],
  )

/** Who waits for this brief. */
export const listDependents = (tx: ReadTx, briefId: string): Promise<Dependency[]> =>
  findRows(tx, dependencies, 'after_id = ? AND met = 0 ORDER BY brief_id', [briefId])

/** For whom this brief waits, or has waited. */
export const listDependenciesOf = (tx: ReadTx, briefId: string): Promise<Dependency[]> =>
  findRows(tx, dependencies, 'brief_id = ? ORDER BY after_id', [briefId])

/** Everybody who has waited for this brief, or does. */
export const listFollowers = (tx: ReadTx, briefId: string): Promise<Dependency[]> =>
  findRows(tx, dependencies, 'after_id = ? ORDER BY brief_id', [briefId])

export interface Work {
  ready: {
    briefId: string
    runId: string
    missionId: string
    organisationId: number
    personaId: number
    tier: Tier | null
  }[]
  /** Something is stopped, somewhere. */
  stopped: boolean
  /** There are budgets, whether or not they hold anything. */
  budgeted: boolean
  /** When the next provider takes launches again. */
  heldUntil: string | null
}

/**
 * Briefs that may start now: nothing unmet, nothing holding them, their run under way and without a failure (or it is
 * to be resolved by them), nothing stopped, their provider taking calls, and something left of every budget above them. One statement, because it is
 * asked after every commit; what stands in the way comes along, for whoever has to act on it.
 */
export async function findWork(tx: ReadTx, limit: number, full: readonly FullTier[] = []): Promise<Work> {
  const { at } = openTx(tx)
  const left = full.flatMap(({ runId, tier }) => (tier === null ? [runId] : [runId, tier]))
  const rows = await sqlOf(tx).all(workText(full), [at, ...left, at, limit])
  const [first] = rows
  if (first === undefined) throw bug('the query for ready briefs returned no row')
  return { ready: rows.filter((row) => row['brief_id'] !== null).map(readyBriefs.read), ...obstacles.read(first) }
}

const obstacles = columns({ stopped: flag, budgeted: flag, heldUntil: optional(text) })
const readyBriefs = columns({
  briefId: text,
  runId: text,
  missionId: text,
  organisationId: integer,
  personaId: integer,
  tier: optional(oneOf(tiers)),
})

/** A run, or one tier of it, that has as many agents as it may have. */
export interface FullTier {
  readonly runId: string
  /** Null: all of it. */
  readonly tier: Tier | null
}

const isNotIn = ({ tier }: FullTier): string =>
  tier === null ? 'AND b.run_id <> ?' : 'AND (b.run_id <> ? OR b.tier IS NULL OR b.tier <> ?)'

const workText = (
  full: readonly FullTier[],
) => `SELECT f.stopped, f.budgeted, f.held_until, w.id AS brief_id, w.run_id, w.mission_id, w.organisation_id, w.persona_id, w.tier
FROM (SELECT CASE WHEN EXISTS (SELECT 1 FROM stops) THEN 1 ELSE 0 END AS stopped,
CASE WHEN EXISTS (SELECT 1 FROM budgets) THEN 1 ELSE 0 END AS budgeted,
(SELECT MIN(until) FROM provider_holds WHERE until > ?) AS held_until) f
LEFT JOIN (SELECT b.id, b.run_id, b.mission_id, r.organisation_id, b.persona_id, b.tier, b.created_at, b.number
FROM briefs b JOIN runs r ON r.id = b.run_id
WHERE b.status = 'pending' AND b.unmet_dependencies = 0 AND b.held_by IS NULL ${full.map(isNotIn).join(' ')}
AND r.status = 'running' AND (r.briefs_failed = 0 OR (b.phase = 'resolve' AND r.abandoned = 0))
AND NOT ${isStopped}
AND NOT EXISTS (SELECT 1 FROM provider_holds h WHERE h.provider = b.provider AND h.until > ?)
AND NOT EXISTS (SELECT 1 FROM budgets u WHERE ${isFull} AND ${isAbove})
ORDER BY b.created_at, b.number, b.id LIMIT ?) w ON 1 = 1
ORDER BY w.created_at, w.number, w.id`

/** Of one run, whatever holds the run itself. */
export const countReadyBriefs = (tx: ReadTx, runId: string): Promise<number> =>
  countRows(
    sqlOf(tx),
    "SELECT COUNT(*) AS count FROM briefs WHERE run_id = ? AND status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL",
    [runId],
  )

/** Which tiers have something that may start now, the highest first. */
export const listReadyTiers = (tx: ReadTx, runId: string): Promise<string[]> =>
  tierNames.all(
    sqlOf(tx),
    "SELECT DISTINCT tier FROM briefs WHERE run_id = ? AND status = 'pending' AND unmet_dependencies = 0 AND held_by IS NULL AND tier IS NOT NULL ORDER BY tier",
    [runId],
  )

const tierNames = column('tier', text)

/** Which tiers of each run have been given something, the highest first. They follow each other: one look finds most. */
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

/** Which tiers have been at work for a workstream, the highest first. */
export const listTiersBegun = (tx: ReadTx, runId: string, workstream: string): Promise<string[]> =>
  tierNames.all(
    sqlOf(tx),
    "SELECT DISTINCT tier FROM briefs WHERE run_id = ? AND workstream = ? AND attempts > 0 AND status <> 'cancelled' AND tier IS NOT NULL ORDER BY tier",
    [runId, workstream],
  )

export const listBriefsHeldBy = (tx: ReadTx, runId: string, heldBy: string): Promise<Brief[]> =>
  findRows(tx, briefs, 'run_id = ? AND held_by = ? ORDER BY created_at, number, id', [runId, heldBy])

/** Runs with pending briefs that this holds. */
export const listRunIdsHeldBy = (tx: ReadTx, heldBy: string): Promise<string[]> =>
  column('run_id', text).all(
    sqlOf(tx),
    "SELECT DISTINCT run_id FROM briefs WHERE status = 'pending' AND held_by = ? ORDER BY run_id LIMIT 1000",
    [heldBy],
  )

export const listBriefsOfPart = (tx: ReadTx, runId: string, part: string): Promise<Brief[]> =>
  findRows(tx, briefs, 'run_id = ? AND part = ? ORDER BY created_at, number, id', [runId, part])

export const isBranchTaken = async (tx: ReadTx, runId: string, branch: string): Promise<boolean> =>
  (await sqlOf(tx).get('SELECT 1 AS taken FROM briefs WHERE run_id = ? AND branch = ? LIMIT 1', [runId, branch])) !==
  undefined

/** Of these workstreams, or of every one. */
export function listBriefsOfWorkstreams(tx: ReadTx, runId: string, names: readonly string[] | 'all'): Promise<Brief[]> {
  const order = 'ORDER BY created_at, number, id'
  if (names === 'all') return findRows(tx, briefs, `run_id = ? AND workstream IS NOT NULL ${order}`, [runId])
  if (names.length === 0) return Promise.resolve([])
  const marks = names.map(() => '?').join(', ')
  return findRows(tx, briefs, `run_id = ? AND workstream IN (${marks}) ${order}`, [runId, ...names])
}

export const listFailedBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status = 'failed' AND kind <> 'verify' ORDER BY updated_at, id", [runId])

/** The newest brief that plans the run. */
export async function findPlanner(tx: ReadTx, runId: string): Promise<Brief | undefined> {
  return (
    await findRows(tx, briefs, "run_id = ? AND kind = 'plan' ORDER BY created_at DESC, id DESC LIMIT 1", [runId])
  )[0]
}

/** Verified work that nobody waits for, or nobody any more: what the run comes to. */
export const listLastBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(
    tx,
    briefs,
    `run_id = ? AND status = 'verified' AND kind = 'work'
AND NOT EXISTS (SELECT 1 FROM dependencies d JOIN briefs w ON w.id = d.brief_id
WHERE d.after_id = briefs.id AND w.status <> 'cancelled') ORDER BY created_at, number, id`,
    [runId],
  )

export const listVerifiedBriefs = (tx: ReadTx, runId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "run_id = ? AND status = 'verified' AND kind = 'work' ORDER BY created_at, number, id", [runId])

/** Whoever is to judge this brief, or does. */
export const listVerifiersOf = (tx: ReadTx, briefId: string): Promise<Brief[]> =>
  findRows(tx, briefs, "verifies = ? AND status NOT IN ('done', 'failed', 'cancelled') ORDER BY created_at, id", [
    briefId,
  ])
