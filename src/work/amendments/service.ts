import type { Db, ReadTx } from '../../db/port.ts'
import { type RunScope, type ScopeParts, scopeOf } from '../scope.ts'
import { inserted } from '../../events/change.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import type { BranchParts, Paths } from '../../playbooks/contract.ts'
import { checkFence } from '../attempts/store.ts'
import { findBrief, listKeysBegun } from '../briefs/store.ts'
import type { Part } from '../parts/contract.ts'
import { findPart, listParts } from '../parts/store.ts'
import type { Run } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
import type { AmendPath, Amendment } from './contract.ts'
import { amendments } from './store.ts'
import { touchRun } from '../runs/moves.ts'

export type Amendments = ReturnType<typeof createAmendments>

export function createAmendments({ db, scopes }: { db: Db; scopes: ScopeParts }) {
  return {
    /** Records an amendment, which needs no approval: the path changes at once and the tier above is informed. */
    async amend(by: Actor, change: AmendPath): Promise<Amendment> {
      const { runId } = change
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

async function record(scope: RunScope, proposedBy: string, change: AmendPath): Promise<Amendment> {
  const { tx, run } = scope
  const { workstream, reason } = change
  const { part, paths } = await openWorkstream(scope, workstream)
  const before = part.data['path'] as string[]
  const after = paths.amend(before, await listKeysBegun(tx, run.id, workstream), change)
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
      ...paths.tagsOf(proposedBy),
      workstream,
      code: 'AMEND',
      message: `${workstream}: ${before.join(' → ')} becomes ${after.join(' → ')}, by ${proposedBy}: ${reason}`,
      data: { amendment_id: amendment.id, proposed_by: proposedBy, reason, before, after },
    },
    [inserted(amendments, amendment)],
  )
  return amendment
}

async function openWorkstream(
  { tx, run, playbook }: RunScope,
  workstream: string,
): Promise<{ part: Part; paths: Paths }> {
  const { branches, paths } = playbook
  if (run.endedAt !== null)
    throw refusal('illegal_transition', `run ${run.id} is ${run.status}: its paths can no longer change`, {
      data: { from: run.status },
    })
  if (branches === undefined || paths === undefined)
    throw refusal('illegal_transition', `run ${run.id} has no workstreams at all`, {
      hint: `The playbook "${playbook.name}" takes no paths.`,
    })
  const part = await findPart(tx, run.id, paths.partOf(workstream))
  if (part === undefined) throw await noSuchWorkstream(tx, run, branches, workstream)
  if (part.status === 'done' || part.status === 'cancelled')
    throw refusal('illegal_transition', `workstream ${workstream} is ${part.status}: its path can no longer change`)
  return { part, paths }
}

async function noSuchWorkstream(tx: ReadTx, run: Run, branches: BranchParts, workstream: string) {
  const known = (await listParts(tx, run.id)).flatMap(({ key }) => branches.nameOf(key) ?? [])
  if (known.length > 0) return notFound('workstream', workstream, `There are: ${known.slice(0, 20).join(', ')}.`)
  return refusal('illegal_transition', `run ${run.id} has no workstreams yet`, {
    hint: 'Workstreams start when the plan is approved; until then, request changes with "agency reject <run> --reason <text>".',
  })
}

async function proposerOf({ tx, playbook }: RunScope, by: Actor): Promise<string> {
  if (by.kind !== 'agent') return actorName(by)
  const brief = await findBrief(tx, by.briefId)
  if (brief === undefined) throw notFound('brief', by.briefId)
  return playbook.describe?.(brief).author ?? actorName(by)
}
