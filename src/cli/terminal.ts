import { characterWidth, textWidth } from './text-width.ts'
import { wrap } from './wrap.ts'

/** The terminal. This file holds everything about width, colour, signs and relative times. */
export interface Terminal {
  /** Prints one line, given without its newline, on standard output; on a terminal it is broken at spaces. */
  out(line: string): void
  err(line: string): void
  readonly isTty: boolean
  /** Infinity for a pipe, which gets whole values. */
  readonly columns: number
  readonly colour: boolean
}

export const widthOf = (stream: NodeJS.WriteStream): number =>
  stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY

export function createTerminal(env: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdout } = process
  const isTty = stdout.isTTY === true
  const columns = widthOf(stdout)
  return {
    out: (line) => void stdout.write(`${wrap(line, columns)}\n`),
    err: (line) => void process.stderr.write(`${wrap(line, widthOf(process.stderr))}\n`),
    isTty,
    columns,
    colour: isTty && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
  }
}

export type State = 'waiting' | 'working' | 'good' | 'bad' | 'idle'

const states: Record<string, State> = {
  planning: 'working',
  running: 'working',
  launching: 'working',
  reported: 'working',
  examining: 'working',
  accepting: 'working',
  assigned: 'working',
  working: 'working',
  in_progress: 'working',
  completion_drive_review: 'working',
  ready_for_verification: 'working',
  review: 'working',
  gated: 'waiting',
  paused: 'waiting',
  blocked: 'waiting',
  done: 'good',
  verified: 'good',
  ended: 'good',
  ok: 'good',
  warn: 'waiting',
  fail: 'bad',
  failed: 'bad',
  cancelled: 'bad',
}
export const stateOf = (status: string): State => states[status] ?? 'idle'

const signs: Record<State, string> = { waiting: '⏸', working: '↻', good: '✓', bad: '✗', idle: '·' }
const colours: Record<State, number> = { waiting: 33, working: 34, good: 32, bad: 31, idle: 90 }

/** Formats a status with its sign, so that colour is never the only difference: `✓ done`. */
export const statusText = (terminal: Terminal, status: string, state: State = stateOf(status)): string =>
  paint(terminal, state, `${signs[state]} ${status}`)

export const signText = (terminal: Terminal, state: State): string => paint(terminal, state, signs[state])

export const faint = (terminal: Terminal, text: string): string => (terminal.colour ? `\x1b[2m${text}\x1b[22m` : text)
export const bold = (terminal: Terminal, text: string): string => (terminal.colour ? `\x1b[1m${text}\x1b[22m` : text)

export const paint = (terminal: Terminal, state: State, text: string): string =>
  terminal.colour ? `\x1b[${colours[state]}m${text}\x1b[39m` : text

/**
 * Puts foreign text on one line and makes its control characters visible: escape sequences and direction marks of an
 * agent's message would otherwise move the cursor, hide text or forge a line of ours.
 */
export const plain = (text: string): string => visible(text.replace(/[\s\u2028\u2029]+/g, ' ')).trim()

/** Makes the control characters of a text of several lines visible. */
export const visible = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(/[^\P{Cc}\n\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '�')

/** Shows a confirmation, which is written for chats too, with the sign of the terminal in place of its emoji. */
export const confirmationText = (text: string): string =>
  text.replace(/^\p{Extended_Pictographic}\uFE0F?(?=\s)/u, (sign) => (/[❌🛑]/u.test(sign) ? signs.bad : signs.good))

/** Formats a duration as `5 s`, `14 m`, `3 h` or `2 d`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

export const ago = (at: string, nowMs: number): string => `${duration(nowMs - Date.parse(at))} ago`

/** Returns the beginning of the local day as a time in UTC. */
export function startOfDay(nowMs: number): string {
  const day = new Date(nowMs)
  day.setHours(0, 0, 0, 0)
  return day.toISOString()
}

export const bytesText = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

export interface Column {
  title: string
  /** The column that is cut when the terminal is narrow. */
  flexible?: true
  right?: true
  /** The column is left out where the flexible one would keep fewer than 30 characters. */
  spare?: true
}

const enoughWidth = 30

/** Formats a table no wider than the terminal: spare columns are left out, the flexible one is cut, never wrapped. */
export function tableLines(
  terminal: Terminal,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string[] {
  const spare = columns.findLastIndex((column) => column.spare)
  if (spare >= 0 && !isWideEnough(terminal, columns, rows))
    return tableLines(
      terminal,
      columns.toSpliced(spare, 1),
      rows.map((row) => row.toSpliced(spare, 1)),
    )
  const titles = columns.map(({ title }) => title)
  const widths = columns.map((_, index) => Math.max(...[titles, ...rows].map((row) => textWidth(row[index] ?? ''))))
  const flexible = columns.findIndex((column) => column.flexible)
  const total = widths.reduce((sum, width) => sum + width, 0) + 2 * (columns.length - 1)
  if (flexible >= 0 && total > terminal.columns) {
    widths[flexible] = Math.max(8, (widths[flexible] ?? 0) - (total - terminal.columns))
  }
  const line = (row: readonly string[]): string => {
    const cells = columns.map((column, index) => {
      const width = widths[index] ?? 0
      const text = index === flexible ? fit(row[index] ?? '', width) : (row[index] ?? '')
      const gap = ' '.repeat(Math.max(0, width - textWidth(text)))
      return column.right ? gap + text : text + gap
    })
    return fit(cells.join('  ').trimEnd(), terminal.columns)
  }
  return [faint(terminal, line(titles)), ...rows.map(line)]
}

function isWideEnough(terminal: Terminal, columns: readonly Column[], rows: readonly (readonly string[])[]): boolean {
  const widthAt = (index: number, title: string): number =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[index] ?? '')))
  const widths = columns.map(({ title, flexible }, index) => {
    const width = widthAt(index, title)
    return flexible ? Math.min(width, enoughWidth) : width
  })
  return widths.reduce((sum, width) => sum + width, 2 * (columns.length - 1)) <= terminal.columns
}

/** Cuts a text to a number of columns and marks the cut with `…`. Colour codes are kept, and closed. */
export function fit(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY || textWidth(text) <= columns) return text
  let cut = ''
  let width = 0
  // oxlint-disable-next-line no-control-regex
  for (const [part] of text.matchAll(/\x1b\[[0-9;]*m|./gsu)) {
    const next = part.startsWith('\x1b') ? 0 : characterWidth(part)
    if (width + next > columns - 1) {
      if (next > 0) break
      continue
    }
    cut += part
    width += next
  }
  return `${cut}…${cut.includes('\x1b') ? '\x1b[0m' : ''}`
}
