import { createHash } from 'node:crypto'
import type { AttemptFiles } from '../../work/attempts/files.ts'

/** Files for simulations and benchmarks: the prompt is only hashed, the output is dropped. */
export const createMemoryFiles = (): AttemptFiles => ({
  writePrompt: async (_, text) => createHash('sha256').update(text).digest('hex'),
  openOutput: async () => ({ append: () => {}, close: async () => {} }),
  readOutput: async () => ({ from: 0, text: '', next: 0, isAll: true }),
})
