import { textWidth } from './text-width.ts'

/**
 * Breaks lines at spaces so that no part is wider than the terminal. The following lines are indented below the text
 * that the line explains: below the value of `name     value`, otherwise by two more columns than the line itself. A
 * word that is wider than the terminal, such as an address, is left whole and begins its line, so that it can still be
 * copied.
 */
export const wrap = (text: string, columns: number): string =>
  columns === Number.POSITIVE_INFINITY
    ? text
    : text
        .split('\n')
        .flatMap((line) => wrapLine(line, columns))
        .join('\n')

function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line]
  const hang = ' '.repeat(hangOf(line, columns))
  const lines: string[] = []
  let now = ''
  let width = 0
  let begun = false
  for (const [part = '', gap = '', word = ''] of line.matchAll(/(\s*)(\S+)/gu)) {
    const wide = textWidth(part)
    if (begun && width + wide > columns) {
      lines.push(now)
      const indent = hang.length + textWidth(word) > columns ? '' : hang
      now = indent + word
      width = indent.length + textWidth(word)
    } else {
      now += gap + word
      width += wide
    }
    begun = true
  }
  return [...lines, now]
}

/** Returns the number of columns before the text that continues on the next line. */
function hangOf(line: string, columns: number): number {
  const bare = withoutColours(line)
  const indent = /^ */.exec(bare)?.[0].length ?? 0
  const label = /^( *\S.*? {2,})\S/.exec(bare)?.[1] ?? ''
  const limit = columns / 3
  return label !== '' && label.length <= limit ? textWidth(label) : Math.min(indent + 2, Math.floor(limit))
}

// oxlint-disable-next-line no-control-regex
const withoutColours = (text: string): string => text.replace(/\x1b\[[0-9;]*m/g, '')
