import { leadRungOf } from '../../../../src/work/questions/holder.ts'
import { wholeLadder } from '../../../../src/work/questions/rungs.ts'
import type { ladderOf as rightLadder } from '../../../../src/work/questions/climb.ts'

export * from '../../../../src/work/questions/climb.ts'

/** Leaves the asker on its own ladder. */
export const ladderOf: typeof rightLadder = async (scope, _question, _brief, wanted) =>
  wholeLadder(wanted ?? [], await leadRungOf(scope.tx, scope.run.organisationId))
