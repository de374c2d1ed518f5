import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import { foundBefore } from './before.ts'
import { atCommit, checksOf, isOfProcess, openPlace, type Place, sourceOf, type WorkToCheck } from './place.ts'
import { mayNeedVerifier } from './rounds.ts'

/** Checks commands on the commit with which work begins, while the agent works: so its examination need not wait. */
export interface Foresight {
  begin(claimed: Claimed): void
  /** Resolves when nothing is checked any more; the end of the engine ends all commands. */
  ended(): Promise<void>
}

/** More briefs than begin with different commits at once; those beyond it are checked with their examination. */
const maxWaiting = 8

/** Checks one brief at a time, because the agents need the machine. */
export function createForesight(deps: EngineDeps): Foresight {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  return {
    begin: (claimed) => {
      if (waiting >= maxWaiting || !isForeseen(deps, claimed)) return
      waiting++
      last = last
        .then(() => look(deps, claimed))
        .catch((error: unknown) => {
          // The examination looks itself, and says what is wrong.
          deps.log.info('evidence could not be checked on the start of work', { error: String(error) })
        })
        .finally(() => waiting--)
    },
    ended: () => last,
  }
}

/** Anything but commands and servers takes no time to speak of, and decides in most cases. */
const isForeseen = ({ outcomes }: EngineDeps, { run, brief, attempt }: Claimed): boolean =>
  outcomes !== undefined &&
  run.repository !== null &&
  brief.startCommit !== null &&
  attempt.fence === 1 &&
  mayNeedVerifier(run, brief) === 'yes' &&
  brief.evidence.length > 0 &&
  brief.evidence.every(isOfProcess)

async function look(deps: EngineDeps, claimed: Claimed): Promise<void> {
  const { run, brief } = claimed
  const signal = deps.stopped ?? new AbortController().signal
  if (signal.aborted || brief.startCommit === null) return
  const checks = await checksOf(deps, run)
  const work: WorkToCheck = { claimed, outputs: [], signal }
  const source = sourceOf(deps, claimed, brief.startCommit, checks)
  // A copy of a workspace in which an agent works proves nothing.
  if (source === null || source.kind !== 'commit') return
  const start = brief.startCommit
  let place: Place | null = null
  const open = async (): Promise<Place> =>
    (place ??= await openPlace(deps, work, '.foreseen', atCommit(source, start), checks))
  try {
    for (const evidence of brief.evidence)
      if (!(await foundBefore(deps, work, checks, { evidence, start, open })).passed) return
  } finally {
    await (place as Place | null)?.remove()
  }
}
