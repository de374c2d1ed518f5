import { findWitnessChanges, type WitnessChanges } from '../../src/engine/witnesses/find.ts'
import { oddLines } from '../../src/engine/witnesses/odd.ts'
import type { FileChange } from '../../src/repositories/port.ts'
import type { Evidence } from '../../src/work/evidence/contract.ts'

export type Files = Readonly<Record<string, string>>

export const npmTest = {
  kind: 'command',
  run: 'npm test',
  expectExit: 0,
  timeoutSeconds: 120,
} as const satisfies Evidence
export const command = (run: string): Evidence => ({ ...npmTest, run })

/** Finds the changes between two sets of files; a text with an arrow is a link. */
export function find(
  before: Files,
  after: Files,
  {
    evidence = [npmTest],
    asked = 'Mend the cart',
    setup = null,
  }: { evidence?: readonly Evidence[]; asked?: string; setup?: string | null } = {},
): Promise<WitnessChanges> {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const changes = paths.flatMap((path): FileChange[] => {
    if (before[path] === after[path]) return []
    const status = after[path] === undefined ? 'deleted' : before[path] === undefined ? 'added' : 'changed'
    return [{ path, status, isLink: after[path]?.startsWith('->') === true }]
  })
  return findWitnessChanges({
    start: 'start',
    changes,
    evidence,
    setup,
    asked,
    read: async (which, path) => (which === 'start' ? before : after)[path] ?? null,
    pathsAtStart: async () => Object.keys(before),
  })
}

/** Returns the odd lines about the changes between two sets of files. */
export const lines = async (...args: Parameters<typeof find>): Promise<string[]> =>
  oddLines((await find(...args)).witnesses).map(({ kind, text }) => `${kind}: ${text}`)
