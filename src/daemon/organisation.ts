import type { Db } from '../db/port.ts'
import { AgencyError } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import type { Contents } from '../org/contents.ts'
import type { Files } from '../org/files.ts'
import { writeInitialFiles } from '../org/initial-files.ts'
import { hasFiles } from '../org/personas/kinds.ts'
import { findPersona, type Persona } from '../org/personas/store.ts'

/** Returns the personality text in the prompts of a persona's agents; empty for the system and for people. */
export async function personaText(
  db: Db,
  contents: Contents,
  personaId: number,
  poolText: (persona: Persona) => Promise<string>,
): Promise<string> {
  const persona = await db.read((tx) => findPersona(tx, personaId))
  return persona === undefined || !hasFiles(persona) ? '' : contents.readSkill(persona, poolText)
}

/**
 * Prepares the data directory. If it is not writable the daemon still starts: it can be read, and every change is
 * refused with the reason.
 */
export async function prepareFiles(db: Db, files: Files, log: Log): Promise<void> {
  try {
    await files.recover()
    await writeInitialFiles(db, files)
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    log.warn(error.message, { hint: error.hint })
  }
}
