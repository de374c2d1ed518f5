import { bind, type Route } from '../../operations/bind.ts'
import { attemptOperations } from './contract.ts'
import type { Attempts } from './service.ts'

export const attemptRoutes = (attempts: Attempts): Route[] =>
  bind(attemptOperations, {
    brief: (by) => attempts.brief(by),
    report: (by, report) => attempts.report(by, report),
    output: (_, { attemptId, after }) => attempts.output(attemptId, after ?? null),
  })
