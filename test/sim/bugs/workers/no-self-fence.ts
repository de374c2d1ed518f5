import { createHeartbeat as created } from '../../../../src/engine/loop/heartbeat.ts'

export * from '../../../../src/engine/loop/heartbeat.ts'

export const createHeartbeat: typeof created = (deps) =>
  created({ ...deps, engine: { ...deps.engine, cutOff: () => {} } })
