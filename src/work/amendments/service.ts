import type { Db, ReadTx } from '../../db/port.ts'
import { type RunScope, type ScopeParts, scopeOf } from '../scope.ts'
import { inserted } from '../../events/change.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import type { Wording } from '../../playbooks/contract.ts'
import { checkFence } from '../attempts/store.ts'
import { findBrief, listTiersBegun } from '../briefs/store.ts'
import type { Part } from '../parts/contract.ts'
import { findPart, listParts } from '../parts/store.ts'
import type { Run } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
import type { AmendPath, Amendment } from './contract.ts'
import { amendedPath } from './path.ts'
import { amendments } from './store.ts'
import { touchRun } from '../runs/moves.ts'

export type Amendments = ReturnType<typeof createAmendments>

export function createAmendments({ db, scopes }: { db: Db; scopes: ScopeParts }) {
  return {
    /** Records an amendment, which needs no approval: the path changes at once and the tier above is informed. */
    async amend(by: Actor, { runId, ...change }: AmendPath): Promise<Amendment> {
      // An agent must not learn whether another run exists.
      if (by.kind === 'agent' && runId !== by.runId) throw notFound('run', runId)
      const { id, organisationId } = await db.read((tx) => requireRun(tx, runId))
      return db.write([`run:${id}`, `org:${organisationId}`], async (tx) => {
        if (by.kind === 'agent') await checkFence(tx, by)
        const scope = scopeOf(scopes, tx, await requireRun(tx, id), actorName(by))
        const amendment = await record(scope, await proposerOf(scope, by), change)
        await scope.decide({ kind: 'amended', amendment })
        return amendment
      })
    },
  }
}

async function record(scope: RunScope, proposedBy: string, change: Omit<AmendPath, 'runId'>): Promise<Amendment> {
  const { tx, run } = scope
  const { workstream, reason } = change
  const part = await openWorkstream(scope, workstream)
  const before = part.data['path'] as string[]
  const after = amendedPath(before, change)
  await checkNotBegun(tx, run, change)
  const amendment: Amendment = {
    id: scope.ids.next('amendment'),
    runId: run.id,
    kind: 'path',
    proposedBy,
    reason,
    workstream,
    beforePath: before,
    afterPath: after,
    acknowledgedBy: null,
    at: tx.at,
  }
  await touchRun(
    scope,
    {},
    {
      kind: 'path_amendment',
      level: 'normal',
      tier: proposedBy === 'operator' ? 'T1' : proposedBy.slice(0, 2).toUpperCase(),
      workstream,
      code: 'AMEND',
      message: `${workstream}: ${before.join(' → ')} becomes ${after.join(' → ')}, by ${proposedBy}: ${reason}`,
      data: { amendment_id: amendment.id, proposed_by: proposedBy, reason, before, after },
    },
    [inserted(amendments, amendment)],
  )
  return amendment
}

async function openWorkstream({ tx, run, playbook }: RunScope, workstream: string): Promise<Part> {
  const { wording } = playbook
  if (run.endedAt !== null)
    throw refusal('illegal_transition', `run ${run.id} is ${run.status}: its paths can no longer change`, {
      data: { from: run.status },
    })
  if (wording === undefined)
    throw refusal('illegal_transition', `run ${run.id} has no workstreams at all`, {
      hint: 'Only a tiered run takes paths.',
    })
  const part = await findPart(tx, run.id, wording.workstreamPart(workstream))
  if (part === undefined) throw await noSuchWorkstream(tx, run, wording, workstream)
  if (part.status === 'done' || part.status === 'cancelled')
    throw refusal('illegal_transition', `workstream ${workstream} is ${part.status}: its path can no longer change`)
  return part
}

async function noSuchWorkstream(tx: ReadTx, run: Run, wording: Wording, workstream: string) {
  const known = (await listParts(tx, run.id)).flatMap(({ key }) => wording.workstreamOf(key) ?? [])
  if (known.length > 0) return notFound('workstream', workstream, `There are: ${known.slice(0, 20).join(', ')}.`)
  return refusal('illegal_transition', `run ${run.id} has no workstreams yet`, {
    hint: 'Workstreams start when the plan is approved; until then, request changes with "agency reject <run> --reason <text>".',
  })
}

/** Refuses every change once t4 has started, and the removal of a tier that has started. */
async function checkNotBegun(
  tx: ReadTx,
  run: Run,
  { workstream, addTiers, removeTiers }: Pick<AmendPath, 'workstream' | 'addTiers' | 'removeTiers'>,
): Promise<void> {
  const begun = await listTiersBegun(tx, run.id, workstream)
  const late = begun.includes('t4') ? 't4' : removeTiers.find((tier) => begun.includes(tier))
  if (late === undefined) return
  throw refusal('illegal_transition', `${late} of ${workstream} has already started`, {
    hint:
      addTiers.length > 0
        ? 'A tier can only be added before the work starts.'
        : 'A tier can only be removed before it starts.',
  })
}

async function proposerOf({ tx, playbook }: RunScope, by: Actor): Promise<string> {
  if (by.kind !== 'agent') return actorName(by)
  const brief = await findBrief(tx, by.briefId)
  if (brief === undefined) throw notFound('brief', by.briefId)
  return brief.tier === null ? actorName(by) : (playbook.wording?.authorOf(brief) ?? actorName(by))
}
