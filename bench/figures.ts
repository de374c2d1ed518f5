/** One line of the table and one object of `results.json`. Every value is a ratio or a count taken within one run. */
export interface Figure {
  readonly name: string
  /** Null if it could not be measured on this machine; the note holds the reason. */
  readonly value: number | null
  readonly unit: string
  readonly target: string | null
  readonly ok: boolean
  readonly note?: string
}

export interface Benchmark {
  readonly name: string
  run(options: BenchOptions): Promise<Figure[]>
}

export interface BenchOptions {
  /** Fewer repetitions and shorter windows: for trying the harness, not for quoting figures. */
  readonly quick: boolean
  /** Folder of another checkout, for benchmarks that compare two commits. */
  readonly against: string | undefined
  readonly log: (line: string) => void
}

export const atLeast = (name: string, value: number, target: number, unit: string, note?: string): Figure => ({
  name,
  value: rounded(value),
  unit,
  target: `≥ ${target}`,
  ok: value >= target,
  ...(note === undefined ? {} : { note }),
})

export const atMost = (name: string, value: number, target: number, unit: string, note?: string): Figure => ({
  name,
  value: rounded(value),
  unit,
  target: `≤ ${target}`,
  ok: value <= target,
  ...(note === undefined ? {} : { note }),
})

/** Returns a figure for information, without a target. */
export const withoutTarget = (name: string, value: number, unit: string, note?: string): Figure => ({
  name,
  value: rounded(value),
  unit,
  target: null,
  ok: true,
  ...(note === undefined ? {} : { note }),
})

export const skipped = (name: string, unit: string, target: string | null, reason: string): Figure => ({
  name,
  value: null,
  unit,
  target,
  ok: true,
  note: reason,
})

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2
}

const rounded = (value: number): number => Number(value.toPrecision(3))

export function tableOf(figures: readonly Figure[]): string[] {
  const rows = figures.map((figure) => [
    figure.name,
    figure.value === null ? '-' : `${figure.value} ${figure.unit}`.trim(),
    figure.target ?? '',
    verdictOf(figure),
    figure.note ?? '',
  ])
  const heads = ['FIGURE', 'VALUE', 'TARGET', 'RESULT', 'NOTE']
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => (row[column] ?? '').length)))
  const lines = [heads, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const count = (verdict: string): number => figures.filter((figure) => verdictOf(figure) === verdict).length
  return [...lines, '', `targets: ${count('met')} met, ${count('missed')} missed, ${count('skipped')} skipped`]
}

/** Returns an empty string for a figure without a target. */
const verdictOf = ({ value, target, ok }: Figure): string =>
  target === null ? '' : value === null ? 'skipped' : ok ? 'met' : 'missed'
