import type { Db } from '../db/port.ts'
import { notFound, refusal } from '../kernel/errors.ts'
import type { JobId } from '../kernel/ids.ts'
import { aboutJob } from './about.ts'
import type { JobRecord } from './contract.ts'
import type { Jobs } from './queue.ts'
import { type JobRow, listTroubledJobs } from './store.ts'

export type JobService = ReturnType<typeof createJobService>

/** Shows the operator the jobs that do not get on, and tries them again. */
export function createJobService({ db, jobs }: { db: Db; jobs: Pick<Jobs, 'kinds' | 'retry'> }) {
  const recordOf = (job: JobRow): JobRecord => {
    const isDead = job.status === 'dead'
    const isHandled = jobs.kinds().includes(job.kind)
    return {
      id: job.id,
      kind: job.kind,
      about: aboutJob(job),
      status: job.status,
      isHandled,
      tries: job.tries,
      maxTries: job.maxTries,
      nextTryAt: isDead || !isHandled ? null : job.dueAt,
      deadSince: isDead ? job.dueAt : null,
      error: job.error,
      createdAt: job.createdAt,
    }
  }
  return {
    async list(limit: number): Promise<{ jobs: JobRecord[]; total: number }> {
      const found = await db.read((tx) => listTroubledJobs(tx, jobs.kinds(), limit))
      return { jobs: found.jobs.map(recordOf), total: found.total }
    },

    async retry(id: string): Promise<JobRecord> {
      const retried = await jobs.retry(id as JobId)
      if (retried === null) throw notFound('job', id, 'Run "agency jobs" to list them.')
      if (retried.outcome === 'not_dead')
        throw refusal('illegal_transition', `${id} was not given up: ${aboutJob(retried.job)} still waits`, {
          hint: 'It is tried by itself; "agency jobs" shows when.',
        })
      return recordOf(retried.job)
    },
  }
}
