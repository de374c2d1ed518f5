import { bold, faint, type Terminal } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { counted } from '../../../kernel/amounts.ts'
import { escapeHidden } from '../../../kernel/escape-hidden.ts'
import type { FileReview } from '../contract.ts'

/** Formats everything that a file starts. Nothing is shortened, and every character that could hide text is written out. */
export function reviewLines(terminal: Terminal, review: Wire<FileReview>): string[] {
  const { kind, name, starts, trusted, difference } = review
  const title = name === null ? `the ${kind}` : inOneLine(name)
  if (starts.length === 0) return [`${title} starts nothing, so it needs no trust`]
  return [
    bold(terminal, `${title} starts${trusted ? ' (trusted)' : ''}:`),
    ...starts.flatMap(({ text, where, count, added }) => [
      faint(
        terminal,
        `  ${inOneLine(where)}${count > 1 ? `, and in ${counted(count - 1, 'other place')}` : ''}${added === true ? ', new since it was trusted' : ''}`,
      ),
      ...escapeHidden(text)
        .split('\n')
        .map((line) => `    ${line}`),
    ]),
    ...(difference === null
      ? []
      : [
          bold(terminal, 'Since it was trusted, these lines have changed:'),
          ...difference.map((line) => `  ${escapeHidden(line)}`),
        ]),
  ]
}

/** A name or a place that breaks its line could add a sentence that seems to be ours. */
const inOneLine = (text: string): string => escapeHidden(text.replaceAll('\n', newlineCode))

const newlineCode = '\\u{a}'
