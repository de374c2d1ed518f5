import { bind, type Route } from '../operations/bind.ts'
import { jobOperations } from './contract.ts'
import type { JobService } from './service.ts'

export const jobRoutes = (jobs: JobService): Route[] =>
  bind(jobOperations, {
    list: (_, { limit }) => jobs.list(limit),
    retry: (_, { jobId }) => jobs.retry(jobId),
  })
