import type { isWaitingFor as waits } from '../../../src/work/verdicts/moves.ts'

export * from '../../../src/work/verdicts/moves.ts'

export const isWaitingFor: typeof waits = () => true
