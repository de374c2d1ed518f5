import { sleep } from '../../kernel/clock.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import { releaseAttempt } from '../../work/attempts/hold.ts'
import { findAttempt } from '../../work/attempts/store.ts'
import { findBrief } from '../../work/briefs/store.ts'
import { holdForChecks } from '../../work/repository-settings/ask.ts'
import { openScope } from '../../work/scope.ts'
import type { Stop } from '../attempt/classify.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import { endAttempt, surfaceFailures } from '../outcome/end.ts'
import { blockWithFault, withNet } from '../outcome/fault.ts'
import { isPassing, persist } from '../persist.ts'
import { examine, type Examined } from './examine.ts'

/** The check of one attempt's evidence by this process. */
export interface Examination {
  readonly attemptId: string
  readonly organisationId: number
  /** Resolves when its result is recorded, or when another process may take it up. */
  readonly ended: Promise<void>
  /** Ends its commands. A cancelled attempt is ended already; any other returns to those that wait. */
  stop(why: Stop): void
}

/** The waits before another try when the evidence could not be checked; afterwards a question is asked. */
const waitsMs = [1_000, 5_000, 30_000]

/** Checks the evidence of an attempt that this process has claimed for it, and records the end of the attempt. */
export function startExamination(deps: EngineDeps, claimed: Claimed): Examination {
  const { run, brief, attempt } = claimed
  const aborted = new AbortController()
  const place = { runId: run.id, briefId: brief.id, attemptId: attempt.id, examiner: deps.worker }

  async function play(): Promise<void> {
    deps.chaosPoint('examination.begun')
    const end = await findEnd()
    if (aborted.signal.aborted) return release(deps, attempt, run.id)
    if (typeof end === 'string') return blockWithFault(deps, place, `its evidence could not be checked: ${end}`)
    deps.chaosPoint('evidence.checked')
    const isRunEnded = await persist(deps, () => withNet(deps, place, () => record(deps, claimed, end)))
    deps.chaosPoint('attempt.ended')
    if (isRunEnded === true) deps.chaosPoint('run.ended')
  }

  /** Resolves to the end of the attempt, or to the reason why nothing could be checked: that is not the agent's fault. */
  async function findEnd(): Promise<Examined | string> {
    for (let tries = 0; ; tries++) {
      try {
        return await examine(deps, claimed, aborted.signal)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        if (aborted.signal.aborted) return why
        deps.log.warn('the evidence of an attempt could not be checked', { ...place, tries: tries + 1, error: why })
        // Trouble of the store passes, and says nothing about the evidence.
        const waitMs = waitsMs[tries] ?? (isPassing(error) ? waitsMs.at(-1) : undefined)
        if (waitMs === undefined || (error instanceof AgencyError && error.code === 'bug'))
          return shorten(redact(why), 1_000)
        await Promise.race([sleep(deps.clock, waitMs), untilAborted(aborted.signal)])
        if (aborted.signal.aborted) return why
      }
    }
  }

  return {
    attemptId: attempt.id,
    organisationId: run.organisationId,
    stop: () => aborted.abort(),
    ended: play().catch((error: unknown) => {
      deps.log.error('the examination of an attempt could not be recorded; the next sweep or start takes it up', {
        ...place,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
    }),
  }
}

/** Resolves to whether the run has ended; an attempt that was ended or taken over meanwhile stays as it is. */
const record = (deps: EngineDeps, { run, brief: known, attempt: claimed }: Claimed, end: Examined): Promise<boolean> =>
  deps.db.write([`run:${run.id}`], async (tx) => {
    const scope = await openScope(deps, tx, run.id)
    const attempt = await findAttempt(tx, claimed.id)
    if (scope === null || attempt === undefined || !isOurs(deps, attempt)) return false
    const brief = (await findBrief(tx, known.id)) ?? known
    if ('trouble' in end) {
      await holdForChecks(scope, brief, attempt, end.trouble)
      await surfaceFailures(scope)
    } else await endAttempt(scope, brief, attempt, end)
    return scope.run.endedAt !== null
  })

const isOurs = ({ worker }: EngineDeps, attempt: Attempt): boolean =>
  attempt.status === 'examining' && attempt.worker === worker

const release = (deps: EngineDeps, { id }: Attempt, runId: string): Promise<void> =>
  persist(deps, () =>
    deps.db.write([`run:${runId}`], async (tx) => {
      const attempt = await findAttempt(tx, id)
      if (attempt === undefined || !isOurs(deps, attempt)) return
      await releaseAttempt({ tx, by: 'engine' }, attempt, 'its evidence is to be checked again')
    }),
  )

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
