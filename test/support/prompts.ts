import { readFileSync } from 'node:fs'

import { promptName } from '../../src/daemon/prompts.ts'
import type { EngineDeps } from '../../src/engine/deps.ts'
import { promptPath } from '../../src/entries.ts'

const read = new Map<string, string>()

/** Reads the product's own prompts, each once. */
export const bundledPrompt: EngineDeps['promptOf'] = (playbook, kind, phase) => {
  const path = promptPath(playbook, promptName(kind, phase))
  const text = read.get(path) ?? readFileSync(path, 'utf8')
  read.set(path, text)
  return text
}
