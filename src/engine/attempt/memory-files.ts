import { createHash } from 'node:crypto'
import type { AttemptFiles } from '../../work/attempts/files.ts'

/** For simulations and benchmarks: the prompt is hashed and forgotten, the output dropped. */
export const createMemoryFiles = (): AttemptFiles => ({
  writePrompt: async (_, text) => createHash('sha256').update(text).digest('hex'),
  openOutput: async () => ({ append: () => {}, close: async () => {} }),
  readOutput: async () => ({ from: 0, text: '', next: 0, isAll: true }),
})
