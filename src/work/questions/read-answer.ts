import { refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { type Question, type QuestionOption, takesOwnWords } from './contract.ts'

/** Returns the option that an answer chooses, if any, and its text to store. Refuses one that comes too late or is no option. */
export function readAnswer(question: Question, given: string): { chosen: QuestionOption | undefined; clean: string } {
  // The report of an agent on a rung may have a line break behind its choice.
  const answer = given.trim()
  if (question.answeredAt !== null)
    throw refusal(
      'illegal_transition',
      `question ${question.id} is ${question.status} already${question.answeredBy === null ? '' : `, by ${question.answeredBy}`}`,
      {
        data: { answer: question.answer },
      },
    )
  const chosen = question.options.find((option) => option.key === answer || option.label === answer)
  const clean = shorten(redact(answer), 10_000)
  // A mistyped answer must not decide whether a run continues.
  if (chosen === undefined && !takesOwnWords(question))
    throw refusal(
      'invalid_input',
      `"${shorten(clean, 100)}" is not one of the options: ${question.options.map(({ key }) => key).join(', ')}`,
      {
        hint: `Answer ${question.options.map(({ key }) => key).join(' or ')}.`,
      },
    )
  return { chosen, clean }
}
