import type { Row } from '../history.ts'
import type { World } from '../world.ts'
import { configurationOf } from './brief.ts'

/** Checks that a gate is decided once, by the required number of people, and according to their decision. */
export function watchGates(world: World): void {
  world.history.watch((event, history) => {
    for (const { table, before, after } of event.steps) {
      if (table === 'gates' && before !== null && after !== null) checkDecision(before, after)
      if (table === 'questions' && before?.['answered_at'] === null && after?.['status'] === 'answered')
        checkAnswer(after)
      if (
        table === 'questions' &&
        before !== null &&
        before['answered_at'] !== null &&
        after?.['answer'] !== before['answer']
      )
        history.fail('a question is answered once', String(before['id']))
    }
  })

  function checkDecision(before: Row, gate: Row): void {
    const refuse = (why: string): void =>
      world.fail('gates are decided by people', `${gate['gate']} ${gate['id']} is ${gate['status']} ${why}`)
    if (before['status'] !== 'pending') refuse(`after it was ${before['status']}`)
    // The tiers themselves decide this gate.
    if (gate['approver'] !== 'operator') return
    const id = gate['id'] as string
    const approvals = JSON.parse(gate['approvals'] as string) as { by: string }[]
    const asked = new Set(world.acts.of('approve', id).map((act) => act.by))
    for (const { by } of approvals) if (!asked.has(by)) refuse(`with an approval that ${by} did not give`)
    if (gate['status'] === 'approved' && gate['gate'] === 'manual') {
      const resumed = world.acts.all.some(
        (act) =>
          (act.kind === 'resume' && act.target === gate['run_id']) ||
          (act.kind === 'approve' && act.target === id) ||
          act.kind === 'answer',
      )
      if (!resumed) refuse('without a request to resume')
    } else if (isAnswered(gate)) {
      return
    } else if (gate['status'] === 'approved') {
      const needed = configurationOf(world.history.row('runs', gate['run_id'] as string) as Row).approvalsNeeded
      if (new Set(approvals.map(({ by }) => by)).size < needed) refuse(`by ${approvals.length} of ${needed}`)
    } else if (gate['status'] === 'rejected' && world.acts.of('reject', id).length === 0) refuse('without a rejection')
  }

  /** The answer to the question that a gate holds decides it too, and giving the brief up with any answer rejects it. */
  function isAnswered({ summary, status, boundary, run_id: runId }: Row): boolean {
    const held = summary === null ? undefined : (JSON.parse(summary as string) as { questionId?: string }).questionId
    const isAsked = (id: string): boolean => world.acts.of('answer', id).length > 0
    if (held === undefined) return false
    if (status !== 'rejected') return isAsked(held)
    return world.history
      .of('questions', runId as string)
      .some((question) => `brief:${question['brief_id']}` === boundary && isAsked(question['id'] as string))
  }

  function checkAnswer(question: Row): void {
    const id = question['id'] as string
    // Answers from rungs below her are checked with the ladder.
    if (question['answered_by'] === 'operator' && world.acts.of('answer', id).length === 0)
      world.fail('questions are answered by people', `${id} is answered without an act`)
  }
}

/** Checks at the end that every acknowledged act took effect, and only one of two that exclude each other. */
export function checkActs(world: World): void {
  const { history, acts } = world
  for (const gate of history.rows('gates').values()) {
    const id = gate['id'] as string
    const rejected = acts.of('reject', id).filter((act) => act.result === 'done')
    const approved = acts.of('approve', id).filter((act) => act.result === 'done')
    const refuse = (why: string): void =>
      world.fail('one decision wins', `${gate['gate']} ${id} is ${gate['status']}, ${why}`)
    if (rejected.length > 0 && gate['status'] !== 'rejected') refuse('but a rejection was acknowledged')
    if (rejected.length > 1) refuse('rejected twice')
    if (approved.length > (gate['approvals_needed'] as number)) refuse(`approved ${approved.length} times`)
    if (approved.length >= (gate['approvals_needed'] as number) && gate['status'] !== 'approved')
      refuse('but its approvals were acknowledged')
  }
  for (const question of history.rows('questions').values()) {
    const answered = acts.of('answer', question['id'] as string).filter((act) => act.result === 'done')
    if (answered.length > 1) world.fail('one answer wins', `${question['id']} was answered ${answered.length} times`)
    if (answered.length === 1 && question['status'] !== 'answered')
      world.fail('one answer wins', `${question['id']} is ${question['status']}, but an answer was acknowledged`)
  }
}
