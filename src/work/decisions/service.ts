import type { Db, ReadTx, Stream, Tx } from '../../db/port.ts'
import { create, record, updated } from '../../events/change.ts'
import { type Actor, actorName, type OperatorActor } from '../../kernel/actor.ts'
import type { ChaosPoint } from '../../kernel/chaos-point.ts'
import { isoAt } from '../../kernel/clock.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { DecidedGate } from '../gates/contract.ts'
import { findGate } from '../gates/store.ts'
import { findQuestion } from '../questions/store.ts'
import type { DecidedQuestion } from '../questions/contract.ts'
import { findRun } from '../runs/store.ts'
import type { ScopeParts } from '../scope.ts'
import type { Decision, DecisionAction } from './contract.ts'
import { type Deferred, decisionText, refuseWhileWaiting, type Subject } from './deferred.ts'
import { aboutOf, refuseUndo, requireWaiting } from './find.ts'
import { decisions, findDecision } from './store.ts'

interface Deciding {
  gates: {
    approve(by: Actor, input: ApproveInput, deferred?: Deferred): Promise<DecidedGate>
    reject(by: Actor, input: RejectInput, deferred?: Deferred): Promise<DecidedGate>
    ofRun(runId: string): Promise<{ gates: Omit<DecidedGate, 'confirmation'>[] }>
  }
  questions: {
    answer(by: Actor, questionId: string, answer: string, deferred?: Deferred): Promise<DecidedQuestion>
    show(by: Actor, questionId: string): Promise<DecidedQuestion>
  }
}
interface Target {
  target: string
  gate?: string | undefined
  as?: string | undefined
}
type ApproveInput = Target & { note?: string | undefined }
type RejectInput = Target & { reason: string }

export interface DecisionDeps extends Deciding {
  db: Db
  scopes: ScopeParts
  chaosPoint: ChaosPoint
}

export type DecisionService = ReturnType<typeof createDecisions>

/** Decisions that wait for some seconds before they take effect, so that they can be taken back until then. */
export function createDecisions({ db, scopes, chaosPoint, gates, questions }: DecisionDeps) {
  /**
   * Stores a decision for later, after the code of an immediate one has accepted it: that runs to its end and is rolled
   * back, so that a decision which would be refused is refused now.
   */
  async function hold(
    by: Actor,
    { action, text, undoSeconds }: { action: DecisionAction; text: string | null; undoSeconds: number },
    decide: (deferred: Deferred) => Promise<unknown>,
  ): Promise<Decision> {
    if (by.kind === 'agent')
      throw refusal('forbidden', 'the decision of an agent takes effect at once', { hint: 'Leave out undo_seconds.' })
    const id = scopes.ids.next('decision')
    // The key of the request belongs to the write below: the rehearsal has one of its own, under which nothing is stored.
    const rehearsal = db.once(`rehearsal of ${id}`, '', () => rehearse(decide))
    const found = await rehearsal.catch((error: unknown) => ({ error }))
    // A repeated request gets the answer of the first one, also if the decision has taken effect meanwhile.
    if ('error' in found) return db.write([], () => Promise.reject(found.error))
    const { target, runId, organisationId, by: name, ...subject } = found
    return db.write([runId === null ? `org:${organisationId as number}` : `run:${runId}`], async (tx) => {
      await refuseWhileWaiting(tx, { target, by: name, ...subject })
      tx.afterCommit(() => chaosPoint('decision.made'))
      const decision: Decision = {
        id,
        runId,
        organisationId,
        target,
        action,
        text: text === null ? null : redact(text),
        by: name,
        decidedAt: tx.at,
        effectiveAt: isoAt(Date.parse(tx.at) + undoSeconds * 1_000),
        status: 'waiting',
        reason: null,
        settledAt: null,
      }
      await scopes.later?.(tx, { kind: 'decision_due', decisionId: id, delayMs: undoSeconds * 1_000 })
      return create(tx, decisions, decision, {
        kind: 'decision_made',
        ...eventOf(decision, actorName(by)),
        message: `The ${decisionText(action, subject.about)} by ${name} takes effect in ${undoSeconds} s`,
      })
    })
  }

  async function settle(
    tx: Tx,
    decision: Decision,
    by: string,
    patch: { status: 'applied' | 'undone' | 'refused'; reason?: string },
  ): Promise<Decision> {
    const about = decisionText(decision.action, await aboutOf(tx, decision))
    const changed = { ...patch, settledAt: tx.at }
    await record(
      tx,
      {
        kind: `decision_${patch.status}`,
        ...eventOf(decision, by),
        level: patch.status === 'applied' ? 'verbose' : 'normal',
        message:
          patch.status === 'applied'
            ? `The ${about} takes effect`
            : patch.status === 'undone'
              ? `↶ ${by} takes back the ${about}`
              : `✗ The ${about} did not take effect: ${patch.reason}`,
      },
      [updated(decisions, decision, changed)],
    )
    return { ...decision, ...changed }
  }

  /** Marks a decision as refused and notifies the operator: her screen has shown it as made. */
  async function refuse(decision: Decision, why: string): Promise<void> {
    const { runId } = decision
    const organisation = runId === null ? decision.organisationId : await organisationOf(runId)
    const streams: Stream[] = [decisions.stream(decision), ...(runId === null ? (['system'] as const) : [])]
    await db.write(streams, async (tx) => {
      const current = await findDecision(tx, decision.id)
      if (current?.status !== 'waiting') return
      await settle(tx, current, 'daemon', { status: 'refused', reason: why })
      await scopes.notify?.(tx, {
        kind: decision.action === 'answer' ? 'question_reminder' : 'gate_reminder',
        title: `Your ${decisionText(decision.action, await aboutOf(tx, decision))} did not take effect`,
        summary: why,
        actions: [],
        runId,
        organisationId: organisation as number,
        object: decision.id,
        state: 'refused',
      })
    })
  }

  const organisationOf = (runId: string): Promise<number | undefined> =>
    db.read(async (tx) => (await findRun(tx, runId))?.organisationId)

  function decideAgain(decision: Decision, deferred: Deferred): Promise<unknown> {
    const { action, target, text } = decision
    const as = decision.by === 'operator' ? undefined : decision.by
    if (action === 'answer') return questions.answer(operator, target, text ?? '', deferred)
    if (action === 'reject') return gates.reject(operator, { target, reason: text ?? '', as }, deferred)
    return gates.approve(operator, { target, as, ...(text === null ? {} : { note: text }) }, deferred)
  }

  const viewOf = async ({ target }: Decision, runId: string) =>
    (await gates.ofRun(runId)).gates.find(({ id }) => id === target) as Omit<DecidedGate, 'confirmation'>

  const confirmed = async (decision: Decision, runId: string, undoSeconds: number): Promise<DecidedGate> => ({
    ...(await viewOf(decision, runId)),
    confirmation: `${decision.action === 'approve' ? '✅ Approved' : '❌ Rejected'} — in effect in ${undoSeconds} s; "agency undo ${decision.target}" takes it back.`,
  })

  return {
    async approve(by: Actor, { undoSeconds, ...input }: ApproveInput & { undoSeconds: number }): Promise<DecidedGate> {
      if (undoSeconds === 0) return gates.approve(by, input)
      const held = await hold(by, { action: 'approve', text: input.note ?? null, undoSeconds }, (deferred) =>
        gates.approve(by, input, deferred),
      )
      return confirmed(held, held.runId as string, undoSeconds)
    },

    async reject(by: Actor, { undoSeconds, ...input }: RejectInput & { undoSeconds: number }): Promise<DecidedGate> {
      if (undoSeconds === 0) return gates.reject(by, input)
      const held = await hold(by, { action: 'reject', text: input.reason, undoSeconds }, (deferred) =>
        gates.reject(by, input, deferred),
      )
      return confirmed(held, held.runId as string, undoSeconds)
    },

    async answer(by: Actor, questionId: string, answer: string, undoSeconds: number): Promise<DecidedQuestion> {
      if (undoSeconds === 0) return questions.answer(by, questionId, answer)
      const held = await hold(by, { action: 'answer', text: answer, undoSeconds }, (deferred) =>
        questions.answer(by, questionId, answer, deferred),
      )
      return questions.show(by, held.target)
    },

    async undo(by: Actor, target: string): Promise<Decision & { confirmation: string }> {
      const found = await db.read((tx) => requireWaiting(tx, target))
      return db.write([decisions.stream(found)], async (tx) => {
        const decision = await findDecision(tx, found.id)
        if (decision?.status !== 'waiting') throw await refuseUndo(tx, decision ?? found)
        const undone = await settle(tx, decision, actorName(by), { status: 'undone' })
        return { ...undone, confirmation: await stateAfterUndo(tx, decision) }
      })
    },

    /**
     * Lets a decision take effect, as an immediate one does, in one transaction with the mark that it has. The wake-up
     * may come twice, and after the decision was taken back.
     */
    async apply(decisionId: string, isLastTry: boolean): Promise<void> {
      const waiting = await db.read((tx) => findDecision(tx, decisionId))
      if (waiting?.status !== 'waiting') return
      const deferred: Deferred = {
        id: waiting.id,
        settle: async (tx) => {
          const decision = await findDecision(tx, waiting.id)
          if (decision?.status !== 'waiting') throw new Overtaken()
          await settle(tx, decision, actorName(operator), { status: 'applied' })
        },
      }
      try {
        await decideAgain(waiting, deferred)
      } catch (error) {
        if (error instanceof Overtaken) return
        const why = reasonOf(error, isLastTry)
        if (why === null) throw error
        await refuse(waiting, why)
      }
    },
  }
}

const operator: OperatorActor = { kind: 'operator', personaId: operatorPersona }

/** The decision was taken back while it was about to take effect. */
class Overtaken extends Error {}

/** Ends a rehearsal: nothing of it is recorded. */
class Rehearsed extends Error {
  readonly subject: Subject

  constructor(subject: Subject) {
    super('a rehearsal')
    this.subject = subject
  }
}

/** Makes a decision and rolls it back; returns its subject, or throws the refusal. */
async function rehearse(decide: (deferred: Deferred) => Promise<unknown>): Promise<Subject> {
  try {
    await decide({
      id: null,
      settle: async (_, subject) => {
        throw new Rehearsed(subject)
      },
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.subject
    throw error
  }
  throw refusal('bug', 'a rehearsed decision was made')
}

/** Returns why a decision cannot take effect; null if the wake-up is repeated, because the store or a bug prevents it. */
function reasonOf(error: unknown, isLastTry: boolean): string | null {
  if (error instanceof AgencyError && ofStore.has(error.code)) return null
  if (error instanceof AgencyError && error.code !== 'bug')
    return redact([error.message, error.hint].filter(Boolean).join('. '))
  return isLastTry ? `a fault of Agency: ${shorten(redact(String(error)), 300)}` : null
}

const ofStore: ReadonlySet<string> = new Set(['store_full', 'store_unusable', 'stopping'])

const eventOf = ({ id, target, runId, action, effectiveAt }: Decision, by: string) => ({
  by,
  runId,
  level: 'normal' as const,
  data: { decision_id: id, target, action, effective_at: effectiveAt },
})

async function stateAfterUndo(tx: ReadTx, { target, action, runId }: Decision): Promise<string> {
  const about = await aboutOf(tx, { target, runId })
  const isOpen =
    (await findGate(tx, target))?.status === 'pending' || (await findQuestion(tx, target))?.answeredAt === null
  return `Taken back — the ${decisionText(action, about)} has no effect${isOpen ? '; it waits for you again' : ''}.`
}
