import type { History, Row } from '../history.ts'
import { holdsOf, openRuns } from '../invariants/brief.ts'
import type { World } from '../world.ts'

/** Reports whether git has still something to do. After an hour the checks at rest report a forgotten job. */
export function isGitAtWork(world: World, beganMs: number): boolean {
  const { git, history, clock } = world
  if (git === null) return false
  if (git.underWay() > 0) return true
  if (clock.nowMs() - beganMs > 3_600_000 || history.rows('stops').size > 0) return false
  return openRuns(world).some((run) => waitsForGit(history, run))
}

function waitsForGit(history: History, run: Row): boolean {
  const runId = run['id'] as string
  return (
    run['held_by'] === 'landing' ||
    history.of('proofs', runId).some((proof) => proof['status'] === 'waiting') ||
    history.of('parts', runId).some((part) => part['held_by'] === 'merge' && part['status'] !== 'cancelled') ||
    history
      .of('briefs', runId)
      .some(
        (brief) =>
          brief['status'] === 'ready_for_verification' &&
          holdsOf(history, brief).some((hold) => hold.startsWith('merge:')),
      )
  )
}
