import type { Run } from '../runs/contract.ts'
import type { Brief } from './contract.ts'

type Waiting = Pick<Brief, 'status' | 'heldBy' | 'unmetDependencies'>
type Around = Pick<Run, 'status' | 'heldBy' | 'briefsFailed'>

/**
 * Returns the reason why a pending brief waits. Its own reason is stored with it; the others are derived when it is
 * read, so that a gate does not write a row for each brief behind it. `beyond` is a hold from outside its run, such as
 * a stop.
 */
export function heldBy(brief: Waiting, run: Around, beyond: string | null = null): string | null {
  if (brief.status !== 'pending' || brief.heldBy !== null) return brief.heldBy
  if (run.status === 'paused') return 'pause'
  if (run.status === 'gated') return run.heldBy
  if (brief.unmetDependencies > 0) return 'dependencies'
  if (run.briefsFailed > 0) return 'sibling_failed'
  return beyond
}

export const withHeld = <Row extends Waiting>(brief: Row, run: Around, beyond: string | null = null): Row => ({
  ...brief,
  heldBy: heldBy(brief, run, beyond),
})
