import type { jobsListCommand } from '../cli/commands/jobs/list.ts'
import type { jobsRetryCommand } from '../cli/commands/jobs/retry.ts'
import type { CliContext } from '../cli/context.ts'
import type { Handler } from '../cli/declare.ts'
import { ago, bold, duration, faint, fit, plain, statusText } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import type { JobRecord } from './contract.ts'
import { jobEndpoints } from './endpoints.ts'

type JobLine = Wire<JobRecord>

export const listJobs: Handler<typeof jobsListCommand> = async (context, { limit, json }) => {
  const answer = await context.api().call<{ jobs: JobLine[]; total: number }>(jobEndpoints.list, { limit })
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.jobs.length === 0) context.out('no job has failed')
  for (const job of answer.jobs) printJob(context, job)
  const more = answer.total - answer.jobs.length
  if (more > 0) context.out(`and ${more} more (--limit)`)
  return 0
}

export const retryJob: Handler<typeof jobsRetryCommand> = async (context, id, { json }) => {
  const job = await context.api().call<JobLine>(jobEndpoints.retry, { job_id: id })
  if (json) context.json(job)
  else if (job.id === id) context.out(`${job.id} is tried again: ${plain(job.about)}`)
  else context.out(`${job.id} already waits for the same, so ${id} was removed: ${plain(job.about)}`)
  return 0
}

function printJob(context: CliContext, job: JobLine): void {
  const isDead = job.status === 'dead'
  const status = statusText(context, job.status, isDead ? 'bad' : 'waiting')
  context.out([bold(context, job.id), status, job.kind, plain(job.about), whenOf(job, context.nowMs())].join('  '))
  if (job.error !== null) context.out(fit(`  ${plain(job.error)}`, context.columns))
  if (isDead) context.out(`  ${faint(context, `agency jobs retry ${job.id}`)}`)
}

function whenOf(job: JobLine, nowMs: number): string {
  const tries = job.tries === 1 ? 'failed once' : `failed ${job.tries} times`
  if (job.dead_since !== null) return `${tries}, given up ${ago(job.dead_since, nowMs)}`
  if (job.next_try_at === null) return 'waits for a version of Agency that knows it'
  const waitMs = Date.parse(job.next_try_at) - nowMs
  return `${tries}, next ${waitMs <= 0 ? 'now' : `in ${duration(waitMs)}`}`
}
