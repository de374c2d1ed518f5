import { bind, type Route } from '../operations/bind.ts'
import { memoryOperations } from './contract.ts'
import type { Memories } from './service.ts'

export const memoryRoutes = (memories: Memories): Route[] =>
  bind(memoryOperations, { mission: (by, input) => memories.ofMission(by, input) })
