import { bind, type Route } from '../../operations/bind.ts'
import { revertOperations } from './contract.ts'
import type { Reverts } from './service.ts'

export const revertRoutes = (reverts: Reverts): Route[] =>
  bind(revertOperations, { start: (by, { runId }) => reverts.start(by, runId) })
