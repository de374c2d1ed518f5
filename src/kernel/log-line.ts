export interface LogLine {
  readonly runId: string | null
  /** UTC; shown as local time. */
  readonly at: string
  readonly source: string
  readonly code: string
  readonly text: string
}

interface Paint {
  faint(text: string): string
  tone(text: string): string
}

const unpainted: Paint = { faint: (text) => text, tone: (text) => text }

/** Formats `[7k2m4p] 12:34:01 RUN   DONE          text`, in columns that only a longer code shifts. */
export function logLine({ runId, at, source, code, text }: LogLine, paint = unpainted): string {
  const run = runId === null ? '------' : runId.slice(runId.indexOf('_') + 1).slice(0, 6)
  const gap = ' '.repeat(Math.max(0, 13 - code.length))
  return `${paint.faint(`[${run}] ${timeOfDay(at)}`)} ${source.padEnd(5)} ${paint.tone(code)}${gap} ${text}`
}

function timeOfDay(at: string): string {
  const time = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}
