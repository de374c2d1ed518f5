import { z } from 'zod'

import { operation } from '../operations/contract.ts'
import { jobEndpoints } from './endpoints.ts'

/** A job that needs attention: it has failed, was given up, or has no handler. */
export const JobRecord = z.object({
  id: z.string(),
  kind: z.string(),
  about: z.string().describe('The action that is to happen, in words'),
  status: z.enum(['waiting', 'dead']).describe('dead: given up after its last try'),
  isHandled: z.boolean().describe('False: this version has no handler for the kind, so the job waits for one that has'),
  tries: z.number().int().describe('Failed tries'),
  maxTries: z.number().int(),
  nextTryAt: z.string().nullable().describe('The time of the next try; null if there is none'),
  deadSince: z.string().nullable(),
  error: z.string().nullable().describe('The error of the last try, without secrets'),
  createdAt: z.string(),
})
export type JobRecord = z.infer<typeof JobRecord>

export const jobOperations = {
  list: operation({
    name: 'job.list',
    summary:
      'List jobs that were given up, that have failed and will be tried again, or that this version cannot handle',
    ...jobEndpoints.list,
    input: z.strictObject({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
    output: z.object({ jobs: z.array(JobRecord), total: z.number().int() }),
    allow: ['operator'],
  }),
  retry: operation({
    name: 'job.retry',
    summary: 'Try a job again that was given up, with all its tries and at its place in its lane',
    ...jobEndpoints.retry,
    input: z.strictObject({ jobId: z.string().min(1).max(64) }),
    output: JobRecord.describe(
      'The job that is tried; another one than the requested if that one already waited to do the same',
    ),
    allow: ['operator'],
  }),
}
