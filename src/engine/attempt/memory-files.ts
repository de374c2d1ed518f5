import { createHash } from 'node:crypto'
import type { AttemptFiles } from '../../work/attempts/files.ts'

/** Files for simulations and benchmarks: prompts are only hashed, the output is dropped. */
export const createMemoryFiles = (): AttemptFiles => ({
  writePrompts: async (_, { prompt, systemPrompt }) => ({
    promptSha256: sha256Of(prompt),
    systemPromptSha256: systemPrompt === null ? null : sha256Of(systemPrompt),
  }),
  readPrompts: async () => ({ prompt: null, systemPrompt: null }),
  openOutput: async () => ({ append: () => {}, close: async () => {} }),
  readOutput: async () => ({ from: 0, text: '', next: 0, isAll: true }),
})

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')
