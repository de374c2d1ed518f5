import { listLiveAttempts as listed } from '../../../src/work/attempts/store.ts'

export * from '../../../src/work/attempts/store.ts'

export const listLiveAttempts: typeof listed = async (tx) => (await listed(tx)).slice(1)
