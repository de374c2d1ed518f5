import type { answerCommand } from '../../cli/commands/answer.ts'
import type { questionAckCommand } from '../../cli/commands/question/ack.ts'
import type { questionShowCommand } from '../../cli/commands/question/show.ts'
import type { questionsCommand } from '../../cli/commands/questions.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, bold, faint, plain, statusText } from '../../cli/terminal.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import { factLines, type QuestionLine } from './cli/fact-lines.ts'
import { questionEndpoints } from './endpoints.ts'

export const listQuestions: Handler<typeof questionsCommand> = async (context, { run, all, limit, org, json }) => {
  const answer = await context.api().call<{ questions: QuestionLine[]; total: number }>(questionEndpoints.list, {
    run_id: run,
    all,
    limit,
    organisation_id: await organisationId(context, org),
  })
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.questions.length === 0) context.out(all ? 'no questions' : 'no question is pending')
  for (const { question, head } of inSets(answer.questions)) {
    if (head !== null) context.out(head)
    printQuestion(context, question)
  }
  const more = answer.total - answer.questions.length
  if (more > 0) context.out(`and ${more} more (--limit)`)
  return 0
}

export const showQuestion: Handler<typeof questionShowCommand> = async (context, id, { json }) => {
  const question = await context.api().call<QuestionLine>(questionEndpoints.show, { question_id: id })
  if (json) context.json(question)
  else printQuestion(context, question)
  return 0
}

export const answerQuestion: Handler<typeof answerCommand> = async (context, id, answer, { undoSeconds, json }) => {
  const input = { question_id: id, answer, undo_seconds: undoSeconds }
  const question = await context.api().call<QuestionLine>(questionEndpoints.answer, input)
  const waiting = question.decisions?.find(({ status }) => status === 'waiting')
  if (json) context.json(question)
  else if (waiting !== undefined)
    context.out(`${question.id} answered, in effect in ${undoSeconds} s; "agency undo ${question.id}" takes it back`)
  else context.out(`${question.id} answered: ${labelOf(question)}`)
  return 0
}

export const acknowledgeQuestion: Handler<typeof questionAckCommand> = async (context, id, { json }) => {
  const question = await context.api().call<QuestionLine>(questionEndpoints.acknowledge, { question_id: id })
  if (json) context.json(question)
  else context.out(`${question.id} seen; the question is still pending`)
  return 0
}

/**
 * Returns questions with those of one report together, in the order in which they were asked; the first of such a set
 * has a line about it.
 */
export function inSets<Line extends QuestionLine>(
  questions: readonly Line[],
): { question: Line; head: string | null }[] {
  const sets = Map.groupBy(questions, ({ id, attempt_id }) => attempt_id ?? id)
  return [...sets.values()].flatMap((set) => {
    const sorted = set.toSorted((a, b) => a.id.localeCompare(b.id))
    return sorted.map((question, index) => ({ question, head: set.length > 1 && index === 0 ? headOf(set) : null }))
  })
}

function headOf(set: readonly QuestionLine[]): string {
  const open = set.filter((question) => question.answered_at === null).length
  const until = open === 0 ? '' : `: it continues when ${open === 1 ? 'the last one is' : `these ${open} are`} answered`
  const [first] = set
  return `${set.length} questions of ${plain(first?.facts?.asked_by ?? first?.asked_by ?? '')}${until}`
}

/** Prints a question as a card: its text, its options and the recommended one. */
export function printQuestion(context: CliContext, question: QuestionLine): void {
  const isPending = question.answered_at === null
  const about = [
    bold(context, question.id),
    statusText(context, question.status, isPending ? 'waiting' : question.status === 'answered' ? 'good' : 'idle'),
    question.kind,
    question.risk === 'medium' ? '' : `risk ${question.risk}`,
    ago(question.created_at, context.nowMs()),
    question.acknowledged_at === null || !isPending ? '' : 'seen',
    faint(context, question.run_id ?? `organisation ${question.organisation_id}`),
  ]
  context.out(about.filter((part) => part !== '').join('  '))
  context.out(`  ${plain(question.text)}`)
  if (!isPending) {
    if (question.answer !== null) context.out(`  ✓ ${labelOf(question)} (${plain(question.answered_by ?? '')})`)
    return
  }
  for (const line of factLines(context, question)) context.out(line)
  for (const option of question.options) {
    const advice = option.key === question.recommendation ? ' (recommended)' : ''
    const detail = option.detail === '' ? '' : `: ${plain(option.detail)}`
    context.out(`  - ${plain(option.key)}  ${plain(option.label)}${detail}${advice}`)
  }
  const waiting = question.decisions?.find(({ status }) => status === 'waiting')
  if (waiting !== undefined) {
    context.out(
      `  ✓ answered by ${plain(waiting.by)}: ${plain(waiting.text ?? '')}, in effect at ${waiting.effective_at}`,
    )
    context.out(`  ${faint(context, `agency undo ${question.id}`)}`)
    return
  }
  if (question.facts?.advice === 'own_words')
    context.out('  - "…"  Say what to do differently (recommended: the same failure came again)')
  const example = exampleOf(question)
  context.out(`  ${faint(context, `agency answer ${question.id} "${example}"`)}`)
}

function exampleOf({ class: cause, options, facts }: QuestionLine): string {
  const [first] = options
  if (cause === 'checks' && first?.key === 'setup') return '<setup command>'
  if (facts?.budget) return facts.budget.is_about_cost ? '+$1' : '+50000'
  return facts?.advice === 'own_words' ? '<what to do differently>' : (first?.key ?? '…')
}

const labelOf = ({ options, answer }: QuestionLine): string =>
  plain(options.find((option) => option.key === answer)?.label ?? answer ?? '')
