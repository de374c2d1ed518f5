import type { Odd } from '../../work/evidence/contract.ts'
import type { WitnessChange } from './find.ts'

/** Up to so many changes of one sort have a line each; more share one. */
const mostSingle = 3
const mostNamed = 3

/** Describes changes of witnesses in few lines: a renamed folder of tests is one. */
export function oddLines(changes: readonly WitnessChange[]): Odd[] {
  const sorts = Map.groupBy(changes, ({ kind, change }) => `${kind} ${change}`)
  return [...sorts.values()].flatMap((sort): Odd[] => {
    const [first] = sort
    if (first === undefined || sort.length <= mostSingle)
      return sort.map(({ kind, path, text }) => ({ kind, path, text }))
    const names = sort.slice(0, mostNamed).map(({ path }) => path)
    const text = `${sort.length} ${nouns[first.kind] ?? 'files'} ${verbs[first.change]}: ${names.join(', ')} and ${sort.length - names.length} more`
    return [{ kind: first.kind, path: null, text }]
  })
}

const nouns: Partial<Record<Odd['kind'], string>> = {
  tests: 'test files',
  scripts: 'scripts or settings of checks',
  ci: 'files of the CI',
  tools: 'files that tools load by themselves',
  instructions: 'files with instructions for agents',
}

const verbs: Record<WitnessChange['change'], string> = {
  changed: 'were changed',
  deleted: 'were deleted',
  moved: 'were moved',
  new: 'are new',
}
