import { moveBrief as moved } from '../../../src/work/briefs/moves.ts'

export * from '../../../src/work/briefs/moves.ts'

export const moveBrief: typeof moved = (scope, brief, to, move) => {
  const failures = move.patch?.verificationFailures ?? 0
  return moved(
    scope,
    brief,
    to,
    failures === 0 ? move : { ...move, patch: { ...move.patch, verificationFailures: failures + 1 } },
  )
}
