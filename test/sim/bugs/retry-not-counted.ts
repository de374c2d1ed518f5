import { moveBrief as moved } from '../../../src/work/briefs/moves.ts'

export * from '../../../src/work/briefs/moves.ts'

export const moveBrief: typeof moved = (scope, brief, to, move) =>
  moved(scope, brief, to, {
    ...move,
    patch: { ...move.patch, ...(to === 'pending' ? { retriesUsed: brief.retriesUsed } : {}) },
  })
