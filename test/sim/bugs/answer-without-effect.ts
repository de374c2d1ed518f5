import type { unblockBrief as unblocked } from '../../../src/engine/unblocked.ts'

export * from '../../../src/engine/unblocked.ts'

export const unblockBrief: typeof unblocked = async () => {}
