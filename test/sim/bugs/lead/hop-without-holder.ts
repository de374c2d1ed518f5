import { moveUp as moved } from '../../../../src/work/questions/hop.ts'

/** Says that a vacant seat was asked. */
export const moveUp: typeof moved = (scope, question, rung, { skipped: _, ...move }) =>
  moved(scope, question, rung, move)
