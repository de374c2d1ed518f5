import { readFileSync } from 'node:fs'

import { refusal } from '../kernel/errors.ts'
import type { TeamFile } from '../team/open.ts'

const maxBytes = 100_000

/** Reads the team file, for each run: an edit applies to the next one. */
export function readTeamFile(path: string): TeamFile | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw refusal('invalid_input', `${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  if (text.length > maxBytes) throw refusal('too_large', `${path} is larger than ${maxBytes / 1_000} KB`)
  return { text, name: path }
}
