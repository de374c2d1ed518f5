import type { Jobs } from '../../jobs/queue.ts'
import { projectionJob } from '../../projections/files.ts'
import type { Backoff } from '../../jobs/schedule.ts'
import type { Engine } from './engine.ts'
import type { Later } from '../../work/scope.ts'

/** Another git process that holds a lock has five minutes to end; then the gate opens again. */
const landingBackoff: Backoff = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000]
const landingTries = 11

/**
 * Nothing else wakes finished work that waits for git, so a repaired cause (a full disk, a lock, a lost mirror) is found
 * within a minute.
 */
const integrationBackoff: Backoff = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

/** The waits of an examination that could not be done; after the fourth try the operator is asked. */
const proofBackoff: Backoff = [1_000, 5_000, 30_000]

/** No work waits for the removal of clones, and a full disk or a lost mirror is not repaired within seconds. */
const cleaningBackoff: Backoff = [60_000, 300_000, 1_800_000, 3_600_000]

const gateKinds = ['gate_timeout', 'gate_reminder'] as const

/** Enqueues a wake-up as a job of the transaction that causes it: it survives a kill and is dropped with a rollback. */
export const laterThrough =
  (jobs: Pick<Jobs, 'enqueue'>): Later =>
  async (tx, wake) => {
    if (wake.kind === 'playbook_timer') {
      const { kind, runId, name, part, delayMs } = wake
      await jobs.enqueue(tx, { kind, key: `${runId} ${name} ${part}`, payload: { runId, name, part }, delayMs })
      return
    }
    if (wake.kind === 'release_checks') {
      const { kind, repository } = wake
      await jobs.enqueue(tx, { kind, key: repository, payload: repository, maxTries: 1_000_000 })
      return
    }
    if (wake.kind === 'land') {
      const { kind, runId, repository } = wake
      const lane = `repository:${repository}`
      await jobs.enqueue(tx, { kind, key: runId, lane, payload: runId, maxTries: landingTries })
      return
    }
    if (wake.kind === 'run_ended') {
      const { kind, runId } = wake
      await jobs.enqueue(tx, { kind, key: runId, payload: runId })
      return
    }
    if (wake.kind === 'project') {
      await jobs.enqueue(tx, projectionJob(wake.name))
      return
    }
    if (wake.kind === 'question_due') {
      const { kind, questionId, delayMs } = wake
      await jobs.enqueue(tx, { kind, key: questionId, payload: questionId, delayMs })
      return
    }
    if (wake.kind === 'decision_due') {
      const { kind, decisionId, delayMs } = wake
      await jobs.enqueue(tx, { kind, key: decisionId, payload: decisionId, delayMs, maxTries: 5 })
      return
    }
    const object = 'gateId' in wake ? wake.gateId : wake.runId
    const delayMs = wake.kind === 'integrate' ? 0 : wake.delayMs
    // The job is retried until a full disk or a lost mirror is repaired, because nothing else wakes work that waits for
    // git.
    const patience = 'gateId' in wake ? {} : { maxTries: 1_000_000 }
    await jobs.enqueue(tx, { kind: wake.kind, key: object, payload: object, delayMs, ...patience })
  }

/** Registers the handlers of gates; must be called before the queue starts. */
export function wakeGates(
  jobs: Pick<Jobs, 'handle'>,
  gates: { wake(kind: (typeof gateKinds)[number], gateId: string): Promise<void> },
): void {
  for (const kind of gateKinds) jobs.handle(kind, ({ payload }) => gates.wake(kind, String(payload)))
}

/** Registers the handler of questions; must be called before the queue starts. */
export function wakeQuestions(
  jobs: Pick<Jobs, 'handle'>,
  questions: { remind(questionId: string): Promise<void> },
): void {
  jobs.handle('question_due', ({ payload }) => questions.remind(String(payload)))
}

/** Registers the handler of decisions; must be called before the queue starts. */
export function wakeDecisions(
  jobs: Pick<Jobs, 'handle'>,
  decisions: { apply(decisionId: string, isLastTry: boolean): Promise<void> },
): void {
  jobs.handle('decision_due', ({ payload, isLastTry }) => decisions.apply(String(payload), isLastTry))
}

/**
 * Registers the handlers of runs. The queue runs one job of a kind at a time for each run, and once more if another
 * request came meanwhile.
 */
export function wakeRuns(
  jobs: Pick<Jobs, 'handle'>,
  engine: Pick<Engine, 'integrate' | 'land' | 'prove' | 'repeat' | 'clean' | 'timer'>,
): void {
  jobs.handle('integrate', ({ payload }) => engine.integrate(String(payload)), { backoff: integrationBackoff })
  jobs.handle('land', ({ payload, tries, isLastTry }) => engine.land(String(payload), { tries, isLastTry }), {
    backoff: landingBackoff,
  })
  jobs.handle('prove', ({ payload, tries }) => engine.prove(String(payload), tries), { backoff: proofBackoff })
  jobs.handle('repeat', ({ payload, tries }) => engine.repeat(String(payload), tries), { backoff: proofBackoff })
  jobs.handle('playbook_timer', ({ payload }) => engine.timer(payload as Parameters<Engine['timer']>[0]))
  jobs.handle('clean_run', ({ payload }) => engine.clean(String(payload)), { backoff: cleaningBackoff })
}

/** Continues work that waited for the checks of a repository. */
export function wakeChecks(jobs: Pick<Jobs, 'handle'>, settings: { release(repository: string): Promise<void> }): void {
  jobs.handle('release_checks', ({ payload }) => settings.release(String(payload)))
}

/** Applies the outputs of steps of missions. */
export function wakeSteps(jobs: Pick<Jobs, 'handle'>, steps: { apply(runId: string): Promise<void> }): void {
  jobs.handle('run_ended', ({ payload }) => steps.apply(String(payload)))
}
