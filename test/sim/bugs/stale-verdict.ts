import type { isWaitingFor as waits } from '../../../src/work/verdicts/subject.ts'

export * from '../../../src/work/verdicts/subject.ts'

export const isWaitingFor: typeof waits = () => true
