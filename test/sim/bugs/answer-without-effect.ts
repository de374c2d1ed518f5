import type { unblockBrief as unblocked } from '../../../src/work/briefs/unblock.ts'

export * from '../../../src/work/briefs/unblock.ts'

export const unblockBrief: typeof unblocked = async () => {}
