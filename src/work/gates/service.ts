import { mayDecide } from '../authority.ts'
import type { Db, ReadTx, Stream, Tx } from '../../db/port.ts'
import { approveGate, expireGate, rejectGate, remindOfGate, resumeRun } from './decide.ts'
import { isFinal, pauseRun } from './open.ts'
import { type RunScope, type ScopeParts, scopeOf } from '../scope.ts'
import { type Actor, type AgentActor, actorName } from '../../kernel/actor.ts'
import { AgencyError, bug, notFound, refusal } from '../../kernel/errors.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import type { ChaosPoint } from '../../kernel/chaos-point.ts'
import type { Repositories } from '../../repositories/port.ts'
import { resolvePersona } from '../../org/personas/find.ts'
import type { Questions } from '../questions/service.ts'
import type { Run } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
import { findRun } from '../runs/store.ts'
import { type Deferred, delayWhileWaiting, refuseWhileWaiting, type Subject } from '../decisions/deferred.ts'
import { afterApproval, afterRejection } from './confirmation.ts'
import { type DecidedGate, type GateRow, type GateView, type GateStatus, isForOperator, operator } from './contract.ts'
import { createReplies } from './replies.ts'
import { gateLine, gateOfPart, pendingText } from './pending.ts'
import { gateView, viewsOf } from './view.ts'
import { countGates, findGate, listGates, listGatesOfRun, listPendingOfRun } from './store.ts'

export interface GateDeps {
  db: Db
  scopes: ScopeParts
  questions: Questions
  chaosPoint: ChaosPoint
  repositories?: Repositories | undefined
}

export type Gates = ReturnType<typeof createGates>

export function createGates({ db, scopes, questions, chaosPoint, repositories }: GateDeps) {
  /** Decides one gate under the lock of its run, and of its organisation if the run's mission may change. */
  async function decide<T>(
    by: Actor,
    target: { gateId: string; run: Run },
    movesMission: boolean,
    act: (scope: RunScope, gateId: string) => Promise<T>,
  ): Promise<T> {
    const streams: Stream[] = [`run:${target.run.id}`]
    if (movesMission) streams.push(`org:${target.run.organisationId}`)
    // The seat and the attempt of an agent stay as they are until it has decided.
    if (by.kind === 'agent') streams.push(`run:${by.runId}`, `org:${target.run.organisationId}`)
    return db.write([...new Set(streams)], async (tx) => {
      tx.afterCommit(() => chaosPoint('gate.decided'))
      return act(await openScope(tx, target.run.id, actorName(by)), target.gateId)
    })
  }

  async function openScope(tx: Tx, runId: string, by: string): Promise<RunScope> {
    const run = await findRun(tx, runId)
    if (run === undefined) throw bug(`run ${runId} vanished`)
    return scopeOf(scopes, tx, run, by)
  }

  async function approve(
    by: Actor,
    input: { target: string; gate?: string | undefined; note?: string | undefined; as?: string | undefined },
    deferred?: Deferred,
  ): Promise<DecidedGate> {
    const found = await db.read((tx) => findTarget(tx, by, input.target, input.gate))
    // Refused at once instead of after the approval; the condition is checked again then.
    if (found.gate.gate === 'merge' && found.gate.status === 'pending' && found.run.repository !== null)
      await repositories?.checkLanding(found.run.repository, {
        runId: found.run.id,
        commit: found.run.head ?? found.run.repository.base,
      })
    return decide(by, found, isFinal(found.gate.gate), async (scope, gateId) => {
      const person = await deciderOf(scope.tx, by, gateId, input.as)
      const subject = await openSubject(scope.tx, found, person, deferred)
      const gate = await approveGate(scope, gateId, person, input.note ?? null)
      await deferred?.settle(scope.tx, subject)
      return { ...gateView(gate), confirmation: await afterApproval(scope.tx, scope.run, gate) }
    })
  }

  async function reject(
    by: Actor,
    input: { target: string; gate?: string | undefined; reason: string; as?: string | undefined },
    deferred?: Deferred,
  ): Promise<DecidedGate> {
    const found = await db.read((tx) => findTarget(tx, by, input.target, input.gate))
    return decide(by, found, true, async (scope, gateId) => {
      const person = await deciderOf(scope.tx, by, gateId, input.as)
      const subject = await openSubject(scope.tx, found, person, deferred)
      const gate = await rejectGate(scope, gateId, person, input.reason)
      await deferred?.settle(scope.tx, subject)
      return { ...gateView(gate), confirmation: await afterRejection(scope.tx, scope.run, gate) }
    })
  }

  return {
    list: (status: GateStatus, limit: number, organisationId?: number): Promise<{ gates: GateView[]; total: number }> =>
      db.read(async (tx) => ({
        gates: await viewsOf(tx, await listGates(tx, status, limit, organisationId)),
        total: await countGates(tx, status, organisationId),
      })),

    ofRun: (runId: string): Promise<{ gates: GateView[] }> =>
      db.read(async (tx) => {
        const run = await requireRun(tx, runId)
        return { gates: await viewsOf(tx, await listGatesOfRun(tx, run.id)) }
      }),

    approve,
    reject,

    async pause(by: Actor, runId: string, reason: string | undefined): Promise<GateView> {
      const { id } = await db.read((tx) => requireRun(tx, runId))
      return db.write([`run:${id}`], async (tx) => {
        const scope = await openScope(tx, id, actorName(by))
        return gateView(await pauseRun(scope, reason ?? `paused by ${actorName(by)}`))
      })
    },

    async resume(by: Actor, runId: string): Promise<{ runId: string; status: string; heldBy: string | null }> {
      const { id, organisationId } = await db.read((tx) => requireRun(tx, runId))
      return db.write([`run:${id}`, `org:${organisationId}`], async (tx) => {
        const scope = await openScope(tx, id, actorName(by))
        await resumeRun(scope, actorName(by))
        return { runId: id, status: scope.run.status, heldBy: scope.run.heldBy }
      })
    },

    reply: createReplies({ db, approve, reject, questions }),

    /** Handles a wake-up that was scheduled when the gate opened. It may arrive twice, and after the decision. */
    async wake(kind: 'gate_timeout' | 'gate_reminder', gateId: string): Promise<void> {
      const found = await db.read(async (tx) => {
        const gate = await findGate(tx, gateId)
        return gate?.status === 'pending' ? findRun(tx, gate.runId) : undefined
      })
      if (found === undefined) return
      await db.write([`run:${found.id}`, `org:${found.organisationId}`], async (tx) => {
        const delayMs = await delayWhileWaiting(tx, gateId)
        if (delayMs !== null) return scopes.later?.(tx, { kind, gateId, delayMs })
        const scope = await openScope(tx, found.id, 'daemon')
        await (kind === 'gate_timeout' ? expireGate(scope, gateId) : remindOfGate(scope, gateId))
      })
    },
  }
}

/** Refuses a decision beside one that waits to take effect. A gate that is decided is refused by the decision itself. */
async function openSubject(
  tx: Tx,
  { gate, run }: { gate: GateRow; run: Run },
  by: string,
  deferred: Deferred | undefined,
): Promise<Subject> {
  const isSingle = gate.approvalsNeeded === 1
  const about = `${gate.gate} of ${run.id}`
  const subject = { runId: run.id, organisationId: null, target: gate.id, by, about, isSingle }
  if (deferred?.id !== null && (await findGate(tx, gate.id))?.status === 'pending')
    await refuseWhileWaiting(tx, subject, deferred?.id)
  return subject
}

/** Resolves the gate that a run or a gate id refers to. */
async function findTarget(
  tx: ReadTx,
  by: Actor,
  target: string,
  kind?: string,
): Promise<{ gateId: string; gate: GateRow; run: Run }> {
  const named = await findGate(tx, target)
  // An agent names the gate itself: the gates of a run are not its to look through.
  if (by.kind === 'agent') return findForAgent(tx, by, target, named)
  const run = named === undefined ? await runOf(tx, target) : await findRun(tx, named.runId)
  if (run === undefined) throw refusal('not_found', `no run or gate "${target}"; ${await pendingText(tx)}`)
  const gate = named ?? (await gateOfRun(tx, run, kind))
  if (!isForOperator(gate))
    throw refusal(
      'forbidden',
      `gate ${gate.id} (${gate.gate}) is for ${gate.approver} to decide, not for the operator`,
      {
        hint: `Follow it with "agency watch ${run.id}".`,
      },
    )
  return { gateId: gate.id, gate, run }
}

async function findForAgent(tx: ReadTx, by: AgentActor, target: string, gate: GateRow | undefined) {
  const run = gate === undefined ? undefined : await findRun(tx, gate.runId)
  if (gate === undefined || run === undefined) throw notFound('gate', target)
  await mayDecide(tx, by, { kind: 'gate', gate })
  return { gateId: gate.id, gate, run }
}

async function runOf(tx: ReadTx, target: string): Promise<Run | undefined> {
  try {
    return await requireRun(tx, target)
  } catch (error) {
    if (error instanceof AgencyError && error.code === 'not_found') return undefined
    throw error
  }
}

async function gateOfRun(tx: ReadTx, run: Run, kind: string | undefined): Promise<GateRow> {
  const all = await listPendingOfRun(tx, run.id)
  const named = kind === undefined ? all : all.filter((gate) => gate.gate === kind)
  const pending = named.filter(isForOperator)
  // A pause is only for resuming the run, so beside another gate the other gate is meant.
  const decidable = pending.filter((gate) => gate.gate !== 'manual')
  const [gate, ...more] = decidable.length > 0 ? decidable : pending
  if (gate === undefined)
    throw refusal(
      'not_found',
      `no pending gate${kind === undefined ? '' : ` "${kind}"`}; ${await pendingText(tx)}`,
      named[0] === undefined
        ? await lookElsewhere(tx, run, all)
        : { hint: `${gateLine(named[0])} is decided by ${named[0].approver}.` },
    )
  if (more.length > 0)
    throw refusal('conflict', `${run.id} has several pending gates: ${[gate, ...more].map(gateOfPart).join(', ')}`, {
      hint: `Name the gate instead of the run: agency approve ${gate.id}`,
      data: { gates: [gate, ...more].map(({ id }) => id) },
    })
  return gate
}

/** After a wrong name the hint lists the pending gates; after a lost race it names the earlier decision. */
async function lookElsewhere(tx: ReadTx, run: Run, pending: readonly GateRow[]): Promise<{ hint?: string }> {
  const own = pending.filter(isForOperator)
  if (own[0] !== undefined)
    return { hint: `It waits at ${own.map(gateOfPart).join(', ')}: agency approve ${own[0].id}` }
  const last = (await listGatesOfRun(tx, run.id)).findLast(({ by }) => by !== null)
  return last === undefined ? {} : { hint: `Its last gate, ${last.gate}, is ${last.status} by ${last.by}.` }
}

/** Returns the name under which a gate is decided: for an agent always that of its persona. */
async function deciderOf(tx: ReadTx, by: Actor, gateId: string, reference: string | undefined): Promise<string> {
  if (by.kind !== 'agent') return personOf(tx, reference)
  if (reference !== undefined)
    throw refusal('forbidden', 'an agent decides for its own seat, not as another person', { hint: 'Leave out "as".' })
  const gate = await findGate(tx, gateId)
  if (gate === undefined) throw bug(`gate ${gateId} vanished`)
  return mayDecide(tx, by, { kind: 'gate', gate })
}

/** Resolves the deciding person if several approvals are needed. */
async function personOf(tx: ReadTx, reference: string | undefined): Promise<string> {
  if (reference === undefined) return operator
  const persona = await resolvePersona(tx, reference)
  if (persona.id === operatorPersona) return operator
  if (persona.personaTypeId !== 3 && persona.personaTypeId !== 4)
    throw refusal('forbidden', `${persona.slug} is an agent; gates are decided by people`)
  if (persona.status === 'archived') throw notFound('active persona', reference)
  return persona.slug
}
