import type { Brief } from '../briefs/contract.ts'

/** Reports whether the subject of a verifier still waits for its verdict: it was not cancelled or done again meanwhile. */
export const isWaitingFor = (judged: Brief, verifying: Brief): boolean =>
  judged.status === 'ready_for_verification' && judged.attempts === verifying.verifiesAttempt
