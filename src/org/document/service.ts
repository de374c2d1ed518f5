import type { Db } from '../../db/port.ts'
import type { Fault } from '../../documents/contract.ts'
import type { Actor } from '../../kernel/actor.ts'
import { AgencyError } from '../../kernel/errors.ts'
import type { OrgAccess } from '../changes.ts'
import type { Contents } from '../contents.ts'
import { organisationSettings } from '../organisations/contract.ts'
import { listSettings, type Organisation } from '../organisations/store.ts'
import { requireRole } from '../roles/changes.ts'
import { loadStructure } from '../structure.ts'
import { exportDocument, type ExportOptions } from './export.ts'
import type { Imported, Importer, ImportOptions } from './import.ts'

export type Documents = ReturnType<typeof createDocuments>

export interface DocumentDeps {
  db: Db
  access: OrgAccess
  contents: Contents
  importer: Importer
}

export function createDocuments({ db, access, contents, importer }: DocumentDeps) {
  /** An export without the intent is still useful, if a warning says so. */
  const readIntent = async (organisation: Organisation) => {
    try {
      const { intent } = await contents.readIntent(organisation)
      return { intent, warnings: [] }
    } catch (error) {
      if (!(error instanceof AgencyError) || error.code === 'bug') throw error
      return { intent: null, warnings: [`intent.md cannot be read, so the intent is null: ${error.message}`] }
    }
  }

  return {
    async export(org: string, options: ExportOptions): Promise<{ document: string; warnings: string[] }> {
      const { structure, settings, role } = await db.read(async (tx) => {
        const organisation = await access.resolveOrganisation(tx, org)
        return {
          structure: await loadStructure(tx, organisation),
          settings: (await listSettings(tx, organisation.id)).filter(
            ({ key, value }) => value !== organisationSettings[key as keyof typeof organisationSettings],
          ),
          role: options.role === undefined ? undefined : (await requireRole(tx, options.role)).name,
        }
      })
      const { intent, warnings } = await readIntent(structure.organisation)
      return { document: exportDocument({ structure, intent, settings }, { ...options, role }), warnings }
    },

    async validate(by: Actor, document: string): Promise<{ valid: boolean; faults: Fault[] }> {
      const { faults } = await importer.examine(by, document)
      return { valid: faults.every(({ severity }) => severity === 'warning'), faults }
    },

    async import(by: Actor, document: string, options: ImportOptions & { preview: boolean }): Promise<Imported> {
      if (!options.preview) return importer.apply(by, document, options)
      const { applied, organisationId, changes, warnings } = await importer.preview(by, document, options)
      return { applied, organisationId, changes, warnings }
    },
  }
}
