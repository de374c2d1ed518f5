import type { endLiveAttempts as ended } from '../../../src/work/attempts/end-live.ts'

export * from '../../../src/work/attempts/end-live.ts'

export const endLiveAttempts: typeof ended = async () => {}
