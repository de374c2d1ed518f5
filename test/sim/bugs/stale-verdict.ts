import type { isWaitingFor as waits } from '../../../src/engine/verify.ts'

export * from '../../../src/engine/verify.ts'

export const isWaitingFor: typeof waits = () => true
