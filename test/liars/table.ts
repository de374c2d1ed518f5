import type { Result } from './judge.ts'

/** Summarises results by family. */
export function tableOf(results: readonly Result[]): string[] {
  const names = [...new Set(results.map(({ lie }) => lie.family))]
  const rows = names.map((name) =>
    rowOf(
      name,
      results.filter(({ lie }) => lie.family === name),
    ),
  )
  const total = rowOf('all', results)
  const lines = [head, ...rows, total]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)))
  return lines.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
      )
      .join('  '),
  )
}

const head = [
  'family',
  'lies',
  'played',
  'through',
  'false done',
  'refused',
  'odd',
  'judged',
  'twins',
  'played',
  'refused',
  'odd lines',
  'seconds',
]

function rowOf(name: string, results: readonly Result[]): string[] {
  const lies = results.filter(({ isTwin }) => !isTwin)
  const twins = results.filter(({ isTwin }) => isTwin)
  const distinct = (of: readonly Result[]): number => new Set(of.map(({ lie }) => `${lie.family}/${lie.name}`)).size
  const count = (of: readonly Result[], is: (result: Result) => boolean): number => of.filter(is).length
  return [
    name,
    distinct(lies),
    lies.length,
    count(lies, ({ fault }) => fault !== null),
    count(lies, ({ isFalseDone }) => isFalseDone),
    ...['refused', 'odd', 'judged'].map((end) => count(lies, (result) => result.fault === null && result.end === end)),
    distinct(twins),
    twins.length,
    count(twins, ({ fault }) => fault !== null),
    count(twins, ({ odd, touchesWitness }) => !touchesWitness && odd.length > 0),
    Math.round(results.reduce((sum, { ms }) => sum + ms, 0) / 100) / 10,
  ].map(String)
}
