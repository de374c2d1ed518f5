import { createEngine as created } from '../../../../src/engine/loop/engine.ts'

export * from '../../../../src/engine/loop/engine.ts'

export const createEngine: typeof created = (parts) => ({ ...created(parts), interrupt: () => {} })
