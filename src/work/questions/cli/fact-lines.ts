import { faint, fit, plain, type Terminal, visible } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { shorten } from '../../../kernel/text.ts'
import type { DecidedQuestion, QuestionView } from '../contract.ts'

/** A question, with its facts where they were asked for. */
export type QuestionLine = Wire<DecidedQuestion> & Partial<Pick<Wire<QuestionView>, 'facts'>>

const indent = 12

/** Formats the facts for an answer: goal, claim, what failed with the end of its output, and the attempts before. */
export function factLines(terminal: Terminal, { id, brief_id: briefId, context, facts }: QuestionLine): string[] {
  if (facts === undefined || facts === null) return context === '' ? [] : [faint(terminal, `  ${short(context, 300)}`)]
  const { goal, claim, background, failed, failed_total: failedTotal, items, issues, attempts } = facts
  const further = failedTotal - failed.length
  return [
    ...named('Goal', short(goal, 200)),
    ...named('Claim', claim === null ? '' : short(claim, 300)),
    ...failed.flatMap(({ what, detail, output }, index) => [
      ...named(index === 0 ? 'Failed' : '', `${short(what, 200)}: ${short(detail, 300)}`),
      ...quoted(terminal, output),
    ]),
    ...named('', further > 0 ? `and ${further} more of ${items} items: agency question show ${id} --json` : ''),
    ...issues.flatMap((issue, index) => named(index === 0 ? 'Issues' : '', short(issue, 300))),
    ...named('Attempts', attempts === null ? '' : attempts.summary),
    ...(attempts === null || attempts.kinds.length < 2
      ? []
      : attempts.kinds.flatMap((kind) => named('', `${kind.attempts.join(', ')}: ${short(kind.failure, 200)}`))),
    ...named('Context', short(background, 300)),
    ...named('Diff', facts.has_diff && briefId !== null ? `agency pr diff ${briefId}` : ''),
  ]
}

/** Formats a name and its text; without a text, nothing. */
const named = (name: string, text: string): string[] => (text === '' ? [] : [`  ${name.padEnd(indent - 2)}${text}`])

/** Formats the end of an output, each line on one line of the terminal. */
function quoted(terminal: Terminal, output: string): string[] {
  if (output === '') return []
  const lines = visible(output).replaceAll('\t', '  ').split('\n')
  return lines.map((line) => faint(terminal, fit(`${' '.repeat(indent)}│ ${line}`, terminal.columns)))
}

const short = (text: string, most: number): string => shorten(plain(text), most)
