import { bind, type Route } from '../../../operations/bind.ts'
import { executionOperations } from './contract.ts'
import type { Executions } from './service.ts'

export const executionRoutes = (executions: Executions): Route[] =>
  bind(executionOperations, {
    execute: (by, input) => executions.execute(by, input),
    review: (by, input) => executions.review(by, input),
    execution: (_, { runId, waitSeconds }) => executions.execution(runId, waitSeconds),
  })
