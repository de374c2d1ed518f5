import type { unblock as unblocked } from '../../../src/engine/unblock.ts'

export * from '../../../src/engine/unblock.ts'

export const unblock: typeof unblocked = async () => {}
