import type { Db, ReadTx } from '../../db/port.ts'
import { listStreamEvents } from '../../events/store.ts'
import { cancelBrief } from './cancel.ts'
import { checkNotLanding } from '../pull-requests/moves.ts'
import { type ScopeParts, scopeOf } from '../scope.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { bug, notFound, refusal } from '../../kernel/errors.ts'
import { findAttempt } from '../attempts/store.ts'
import { isAgentAtWork } from '../../kernel/attempt-state.ts'
import { findRun } from '../runs/store.ts'
import { checkAnchor } from '../runs/anchor.ts'
import { findLimitsOfBriefs } from '../budgets/store.ts'
import type { Brief, BriefView, HeldBrief } from './contract.ts'
import { reasonsOf, withOwnReasons, withReasons } from './held.ts'
import { type BriefStatus, checkMove, liveStatuses } from './states.ts'
import { showBrief, showLimits, withLimits } from './view.ts'
import { findBrief, listBriefsByStatus, listHoldsOfBrief } from './store.ts'
import { evidenceForAgents } from '../verdicts/subject.ts'

export type Briefs = ReturnType<typeof createBriefs>

export function createBriefs({ db, scopes }: { db: Db; scopes: ScopeParts }) {
  return {
    list: (status: BriefStatus, limit: number) =>
      db.read(async (tx) => {
        const found = await listBriefsByStatus(tx, status, limit)
        const limits = await findLimitsOfBriefs(
          tx,
          found.map(({ id }) => id),
        )
        const briefs: HeldBrief[] = []
        for (const brief of found) briefs.push(withLimits(await withOwnReasons(tx, brief), limits))
        return { briefs }
      }),

    async show(by: Actor, briefId: string): Promise<BriefView> {
      const brief = await db.read(async (tx) => {
        const found = await requireBrief(tx, briefId)
        const run = await findRun(tx, found.runId)
        if (run === undefined) throw bug(`brief ${briefId} has no run`)
        const own = await listHoldsOfBrief(tx, found)
        return showBrief(tx, run, withReasons(found, reasonsOf(found, own, run)))
      })
      // An agent sees only its own run and must not learn whether a brief of another run exists.
      if (by.kind === 'agent' && brief.runId !== by.runId) throw notFound('brief', briefId)
      if (by.kind !== 'agent') return brief
      const evidence = evidenceForAgents(brief)
      return { ...brief, evidence, evidenceRequired: evidence }
    },

    async update(
      by: Actor,
      briefId: string,
      to: BriefStatus | undefined,
      reason: string | undefined,
      goalAnchor?: string,
    ): Promise<HeldBrief> {
      const { runId, organisationId } = await db.read(async (tx) => {
        const brief = await requireBrief(tx, briefId)
        const run = await findRun(tx, brief.runId)
        if (run === undefined) throw bug(`brief ${briefId} has no run`)
        return { runId: run.id, organisationId: run.organisationId }
      })
      return db.write([`run:${runId}`, `org:${organisationId}`], async (tx) => {
        const brief = await requireBrief(tx, briefId)
        const run = await findRun(tx, runId)
        if (run === undefined) throw bug(`run ${runId} vanished`)
        if (goalAnchor !== undefined) checkAnchor(run, goalAnchor)
        if (to === undefined) return showLimits(tx, await withOwnReasons(tx, brief))
        checkMove(brief.status, to)
        if (to !== 'cancelled')
          throw refusal('forbidden', `only the engine moves a brief from ${brief.status} to ${to}`, {
            hint: 'You can cancel it.',
          })
        if (liveStatuses.includes(brief.status) && (await hasAgent(tx, brief)))
          throw refusal('conflict', `an agent is working on ${brief.key}`, {
            hint: `Stop the whole run with "agency cancel ${runId}".`,
          })
        // Without the failed brief the run would continue, although its end was promised.
        if (run.abandoned)
          throw refusal('conflict', `run ${runId} was given up: it fails when its agents have ended`, {
            hint: `End its agents now with "agency cancel ${runId}".`,
          })
        checkNotLanding(run)
        if (run.repository !== null && brief.status === 'verified' && brief.branchCommit !== null)
          throw refusal('conflict', `${brief.key} is already merged`, {
            hint: `Reject the result instead: agency reject ${runId} --reason "…"`,
          })
        if (run.repository !== null && (await wasMerged(tx, brief)))
          throw refusal('conflict', `earlier work of ${brief.key} is already merged and would stay in the result`, {
            hint: `Let it be done again, or end the whole run with "agency cancel ${runId}".`,
          })
        const cancelled = await cancelBrief(scopeOf(scopes, tx, run, actorName(by)), brief, reason)
        return showLimits(tx, withReasons(cancelled, []))
      })
    },
  }
}

/** Reports whether an agent works on the brief; the check of finished work can be ended with it. */
async function hasAgent(tx: ReadTx, { attemptId }: Brief): Promise<boolean> {
  const attempt = attemptId === null ? undefined : await findAttempt(tx, attemptId)
  return attempt !== undefined && isAgentAtWork(attempt)
}

/** Reports whether work of the brief was merged before it was sent back: no merge is taken back. */
async function wasMerged(tx: ReadTx, { id, runId }: Brief): Promise<boolean> {
  const merged = await listStreamEvents(tx, `run:${runId}`, { kind: ['branch_merged'], limit: 1_000_000 })
  return merged.some(({ briefId }) => briefId === id)
}

async function requireBrief(tx: ReadTx, id: string): Promise<Brief> {
  const brief = await findBrief(tx, id)
  if (brief === undefined) throw notFound('brief', id)
  return brief
}
