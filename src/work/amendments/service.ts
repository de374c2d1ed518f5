import type { Db, ReadTx } from '../../db/port.ts'
import { type RunScope, type ScopeParts, scopeOf } from '../scope.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import type { BranchParts, Paths } from '../../playbooks/contract.ts'
import { checkFence } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { findBrief, listKeysBegun } from '../briefs/store.ts'
import type { Part } from '../parts/contract.ts'
import { findPart, listParts } from '../parts/store.ts'
import type { Run } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
import type { PlanDocument } from '../plans/contract.ts'
import type { AmendPath, AmendPlan, PathAmendment, PlanAmendment } from './contract.ts'
import { recordAmendment } from './moves.ts'
import { amendPlan } from './plan/amend.ts'
import { proposeAmendment } from './propose.ts'

export type Amendments = ReturnType<typeof createAmendments>

export interface AmendmentDeps {
  db: Db
  scopes: ScopeParts
  /** Reads the plan of an amendment; refuses its faults, and what it starts until the operator trusts it. */
  readPlan: (
    by: Actor,
    input: { plan: string; trust?: AmendPlan['trust']; fileNames?: AmendPlan['fileNames'] },
  ) => Promise<PlanDocument>
}

export function createAmendments({ db, scopes, readPlan }: AmendmentDeps) {
  return {
    /** Changes the plan of a run at once for the operator; an agent proposes single changes. */
    async amendPlan(by: Actor, input: AmendPlan): Promise<PlanAmendment> {
      const { plan, runId } = input
      // An agent must not learn whether another run exists.
      if (by.kind === 'agent' && runId !== by.runId) throw notFound('run', runId)
      refuseMixed(by, input)
      const document = plan === undefined ? null : await readPlan(by, { ...input, plan })
      const { id, organisationId } = await db.read((tx) => requireRun(tx, runId))
      return db.write([`run:${id}`, `org:${organisationId}`], async (tx) => {
        if (by.kind === 'agent') await checkFence(tx, by)
        return amendPlan(scopeOf(scopes, tx, await requireRun(tx, id), actorName(by)), by, input, document)
      })
    },

    /**
     * Changes a path at once for the operator, and for an agent that adds tiers to its own workstream. Every other change
     * that an agent wants could weaken the control of its own work, or of others': the operator decides about it.
     */
    async amend(by: Actor, change: AmendPath): Promise<PathAmendment> {
      const { runId } = change
      // An agent must not learn whether another run exists.
      if (by.kind === 'agent' && runId !== by.runId) throw notFound('run', runId)
      const { id, organisationId } = await db.read((tx) => requireRun(tx, runId))
      return db.write([`run:${id}`, `org:${organisationId}`], async (tx) => {
        if (by.kind === 'agent') await checkFence(tx, by)
        const scope = scopeOf(scopes, tx, await requireRun(tx, id), actorName(by))
        const { part, paths } = await openWorkstream(scope, change.workstream)
        const author = by.kind === 'agent' ? await requireBrief(tx, by.briefId) : null
        const amendment = await amendmentOf(scope, part, paths, change, nameOf(scope, by, author))
        return author === null || (change.removeTiers.length === 0 && paths.owns(author, change.workstream))
          ? recordAmendment(scope, amendment)
          : proposeAmendment(scope, amendment)
      })
    },
  }
}

function refuseMixed(by: Actor, { plan, add, change, remove }: AmendPlan): void {
  if (plan === undefined) return
  if (by.kind === 'agent')
    throw refusal('forbidden', 'only the operator amends a plan by a document', {
      hint: 'Name single changes instead: add, change or remove.',
    })
  if (add !== undefined || change !== undefined || remove !== undefined)
    throw refusal('invalid_input', 'a whole plan and single changes cannot be given together', {
      hint: 'Leave out plan, or leave out add, change and remove.',
    })
}

async function amendmentOf(
  scope: RunScope,
  part: Part,
  paths: Paths,
  change: AmendPath,
  proposedBy: string,
): Promise<PathAmendment> {
  const { tx, run } = scope
  const { workstream, reason } = change
  const before = part.data['path'] as string[]
  return {
    id: scope.ids.next('amendment'),
    runId: run.id,
    kind: 'path',
    proposedBy,
    reason,
    workstream,
    beforePath: before,
    afterPath: paths.amend(before, await listKeysBegun(tx, run.id, workstream), change),
    acknowledgedBy: null,
    status: 'applied',
    gateId: null,
    version: null,
    changes: null,
    touched: [],
    diff: null,
    at: tx.at,
  }
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

async function requireBrief(tx: ReadTx, id: string): Promise<Brief> {
  const brief = await findBrief(tx, id)
  if (brief === undefined) throw notFound('brief', id)
  return brief
}

const nameOf = ({ playbook }: RunScope, by: Actor, author: Brief | null): string =>
  (author === null ? undefined : playbook.describe?.(author).author) ?? actorName(by)
