import { bind, type Route } from '../../operations/bind.ts'
import { planOperations } from './contract.ts'
import type { Plans } from './service.ts'

export const planRoutes = (plans: Plans): Route[] =>
  bind(planOperations, {
    check: (_, input) => plans.check(input),
    run: (by, input) => plans.run(by, input),
  })
