import { releaseDependents } from '../../../src/work/briefs/dependents.ts'
import { moveBrief as moved } from '../../../src/work/briefs/moves.ts'

export * from '../../../src/work/briefs/moves.ts'

export const moveBrief: typeof moved = async (scope, brief, to, move) =>
  to === 'ready_for_verification'
    ? moved(scope, brief, to, { ...move, also: [...(move.also ?? []), ...(await releaseDependents(scope, brief))] })
    : moved(scope, brief, to, move)
