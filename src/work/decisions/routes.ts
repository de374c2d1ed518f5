import { bind, type Route } from '../../operations/bind.ts'
import { decisionOperations } from './contract.ts'
import type { DecisionService } from './service.ts'

export const decisionRoutes = (decisions: DecisionService): Route[] =>
  bind(decisionOperations, {
    undo: (by, { target }) => decisions.undo(by, target),
  })
