import type { listEnded as listed } from '../../../../src/work/attempts/store.ts'

export * from '../../../../src/work/attempts/store.ts'

export const listEnded: typeof listed = async () => []
