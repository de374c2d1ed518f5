import type { reviewNotes as reviewed } from '../../../src/work/notes/moves.ts'

export * from '../../../src/work/notes/moves.ts'

export const reviewNotes: typeof reviewed = async () => ({ escalated: [], open: [] })
