import type { withNet as caught } from '../../../src/engine/outcome/fault.ts'

export * from '../../../src/engine/outcome/fault.ts'

/** Forgets a result that the playbook could not take. */
export const withNet: typeof caught = (_, __, write) => write().catch(() => null)
