import { bind, type Route } from '../../operations/bind.ts'
import { demoOperations } from './contract.ts'
import type { Demos } from './service.ts'

export const demoRoutes = (demos: Demos): Route[] =>
  bind(demoOperations, {
    play: (by, input) => demos.play(by, input),
    guide: (_by, { runId }) => demos.guide(runId),
  })
