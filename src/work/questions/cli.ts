import type { CliContext } from '../../cli/context.ts'
import { ago, bold, faint, plain, statusText } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Question } from './contract.ts'

export type QuestionLine = Wire<Question>

export interface QuestionsOptions {
  run?: string
  all?: true
  limit?: number
  json?: true
}

export async function listQuestions(context: CliContext, options: QuestionsOptions): Promise<number> {
  const answer = await context.api().get<{
    questions: QuestionLine[]
    total: number
  }>('/questions', { run_id: options.run, all: options.all, limit: options.limit })
  if (options.json) {
    context.json(answer)
    return 0
  }
  if (answer.questions.length === 0) context.out(options.all ? 'no questions' : 'no question waits for an answer')
  for (const question of answer.questions) printQuestion(context, question)
  const more = answer.total - answer.questions.length
  if (more > 0) context.out(`and ${more} more (--limit)`)
  return 0
}

export async function showQuestion(context: CliContext, id: string, options: { json?: true }): Promise<number> {
  const question = await context.api().get<QuestionLine>(`/questions/${encodeURIComponent(id)}`)
  if (options.json) context.json(question)
  else printQuestion(context, question)
  return 0
}

export async function answerQuestion(
  context: CliContext,
  id: string,
  answer: string,
  options: { json?: true },
): Promise<number> {
  const question = await context.api().post<QuestionLine>(`/questions/${encodeURIComponent(id)}/answer`, { answer })
  if (options.json) context.json(question)
  else context.out(`${question.id} answered: ${labelOf(question)}`)
  return 0
}

export async function acknowledgeQuestion(context: CliContext, id: string, options: { json?: true }): Promise<number> {
  const question = await context.api().post<QuestionLine>(`/questions/${encodeURIComponent(id)}/acknowledge`, {})
  if (options.json) context.json(question)
  else context.out(`${question.id} seen; it still waits for an answer`)
  return 0
}

/** A card: what is asked, what can be chosen, what is recommended. */
export function printQuestion(context: CliContext, question: QuestionLine): void {
  const waits = question.answered_at === null
  const about = [
    bold(context, question.id),
    statusText(context, question.status, waits ? 'waiting' : question.status === 'answered' ? 'good' : 'idle'),
    question.kind,
    `risk ${question.risk}`,
    ago(question.created_at, context.nowMs()),
    question.acknowledged_at === null || !waits ? '' : 'seen',
    faint(context, question.run_id),
  ]
  context.out(about.filter((part) => part !== '').join('  '))
  context.out(`  ${plain(question.text)}`)
  if (question.context !== '') context.out(`  ${faint(context, plain(question.context).slice(0, 300))}`)
  if (!waits) {
    if (question.answer !== null) context.out(`  ✓ ${labelOf(question)} (${plain(question.answered_by ?? '')})`)
    return
  }
  for (const option of question.options) {
    const advice = option.key === question.recommendation ? ' (recommended)' : ''
    const detail = option.detail === '' ? '' : `: ${plain(option.detail)}`
    context.out(`  - ${plain(option.key)}  ${plain(option.label)}${detail}${advice}`)
  }
  context.out(`  ${faint(context, `agency answer ${question.id} "${question.options[0]?.key ?? '…'}"`)}`)
}

const labelOf = ({ options, answer }: QuestionLine): string =>
  plain(options.find((option) => option.key === answer)?.label ?? answer ?? '')
