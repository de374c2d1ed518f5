import { readFileSync } from 'node:fs'

import type { Db, ReadTx } from '../../db/port.ts'
import { referencePath } from '../../entries.ts'
import type { SystemActor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AgencyError, bug, refusal } from '../../kernel/errors.ts'
import { developmentOrganisation, systemPersona } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { renderTemplate } from '../../kernel/template.ts'
import type { Importer } from '../document/import.ts'
import { countOrgChanges } from '../organisations/store.ts'
import { insertPersona } from '../personas/changes.ts'
import { findPersona, raisePersonaIds } from '../personas/store.ts'
import { personaPath } from '../paths.ts'
import { findRoleByName } from '../roles/store.ts'
import { experienceText, personaFiles, workingSection } from '../templates.ts'

/** A persona for the vacant seats; a document contains only personas that hold a seat. */
const paula = { id: 7, name: 'Paula', role: 'ar-director', slug: 'ar-director-paula-7' }

const daemon: SystemActor = { kind: 'system', personaId: systemPersona, part: 'daemon' }

/**
 * Imports the organisation of the demonstration, as an ordinary document. Only into a first organisation that has not
 * been changed, so once per store and never over the work of a person. Resolves to whether it was loaded.
 */
export async function loadReference({
  db,
  clock,
  log,
  importer,
}: {
  db: Db
  clock: Clock
  log: Log
  importer: Importer
}): Promise<boolean> {
  if (!(await db.read(isUntouched))) return false
  const document = readFileSync(referencePath('development.yaml'), 'utf8')
  try {
    await importer.apply(
      daemon,
      document,
      { force: false, withIntent: true },
      {
        content: personaFiles('paula', skillOf(paula.slug, paula.role), experienceText(paula.name, clock.at())),
        skillOf: (slug) => skillOf(slug, 'architect'),
        async check(tx) {
          if (!(await isUntouched(tx))) throw refusal('conflict', 'the first organisation has been changed')
        },
        async finish(tx, governed) {
          if ((await findPersona(tx, paula.id)) !== undefined)
            throw refusal('conflict', `persona_id ${paula.id} is taken`)
          const role = await findRoleByName(tx, paula.role)
          if (role === undefined) throw bug(`the document created no role ${paula.role}`)
          await raisePersonaIds(tx, paula.id)
          await insertPersona(tx, daemon, governed, {
            ...paula,
            role,
            personaTypeId: 1,
            canCreateChannel: false,
            origin: 'import',
          })
          return [{ from: 'paula', to: personaPath(paula.slug), keep: true }]
        },
      },
    )
    return true
  } catch (error) {
    // A demonstration that fails must not stop the daemon, and must not overwrite a person's own personas.
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    log.warn(`the reference organisation was not loaded: ${error.message}`)
    return false
  }
}

const isUntouched = async (tx: ReadTx): Promise<boolean> => (await countOrgChanges(tx, developmentOrganisation)) <= 1

const skillOf = (slug: string, role: string): string =>
  renderTemplate(readFileSync(referencePath(`${slug}.md`), 'utf8'), { working: workingSection(role) })
