import { type IBufferCell, Terminal } from '@xterm/headless/lib-headless/xterm-headless.mjs'

import { nearestOfSixteen } from './colours.ts'

export interface Segment {
  readonly text: string
  /** Class names for colours and weight, nothing else. */
  readonly look: string
}

export interface Screen {
  write(text: string): Promise<void>
  resize(columns: number): void
  /** Returns the number of lines to show. */
  length(): number
  line(index: number): Segment[]
  dispose(): void
}

/** More than the beginning and the end of an output that are stored; of longer lines, the older ones are dropped. */
export const keptLines = 40_000

/** Programs that move the cursor assume this many lines. */
const rows = 24

/**
 * Interprets the output of a program like a terminal, but without a terminal's side effects: no title, no clipboard, no
 * bell, no links, and no replies to queries. Escape sequences only affect the look of the text.
 */
export function createScreen(columns: number): Screen {
  const terminal = new Terminal({
    cols: columns,
    rows,
    scrollback: keptLines,
    convertEol: true,
    allowProposedApi: true,
    logLevel: 'off',
  })
  const blank = terminal.buffer.active.getNullCell()
  return {
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    resize: (next) => {
      if (next !== terminal.cols) terminal.resize(next, rows)
    },
    length: () => {
      const { active } = terminal.buffer
      let last = active.length - 1
      while (last >= 0 && active.getLine(last)?.translateToString(true) === '') last -= 1
      return last + 1
    },
    line: (index) => segmentsOf(terminal, index, blank),
    dispose: () => terminal.dispose(),
  }
}

function segmentsOf(terminal: Terminal, index: number, cell: IBufferCell): Segment[] {
  const line = terminal.buffer.active.getLine(index)
  if (line === undefined) return []
  const segments: { text: string; look: string }[] = []
  const width = Math.min(line.length, terminal.cols)
  for (let column = 0; column < width; column += 1) {
    if (line.getCell(column, cell) === undefined) break
    // The second half of a wide character.
    if (cell.getWidth() === 0) continue
    const look = lookOf(cell)
    const text = cell.getChars() === '' ? ' ' : cell.getChars()
    const last = segments.at(-1)
    if (last?.look === look) last.text += text
    else segments.push({ text, look })
  }
  const last = segments.at(-1)
  if (last?.look === '') last.text = last.text.trimEnd()
  return segments.filter(({ text }) => text !== '')
}

/** Returns the classes of a cell. Hidden text is shown like any other: the reader sees everything that was printed. */
function lookOf(cell: IBufferCell): string {
  const look: string[] = []
  if (!cell.isFgDefault())
    look.push(`fg-${nearestOfSixteen(cell.isFgPalette() ? 'palette' : 'rgb', cell.getFgColor())}`)
  if (!cell.isBgDefault())
    look.push(`bg-${nearestOfSixteen(cell.isBgPalette() ? 'palette' : 'rgb', cell.getBgColor())}`)
  if (cell.isBold()) look.push('bold')
  if (cell.isDim()) look.push('dim')
  if (cell.isItalic()) look.push('italic')
  if (cell.isUnderline()) look.push('underline')
  if (cell.isStrikethrough()) look.push('struck')
  if (cell.isInverse()) look.push('inverse')
  return look.join(' ')
}
