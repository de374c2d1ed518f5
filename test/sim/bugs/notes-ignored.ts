import type { reviewNotes as reviewed } from '../../../src/engine/notes.ts'

export * from '../../../src/engine/notes.ts'

export const reviewNotes: typeof reviewed = async () => ({ escalated: [], open: [] })
