import type { releaseAttempt as released } from '../../../src/work/attempts/hold.ts'

export * from '../../../src/work/attempts/hold.ts'

/** Leaves an examination that was cut off as it is, so that nobody examines the attempt again. */
export const releaseAttempt: typeof released = async () => {}
