import type { Fault } from '../../documents/contract.ts'
import type { Db, ReadTx, Stream, Tx } from '../../db/port.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import type { Governed, OrgAccess } from '../changes.ts'
import type { Files } from '../files.ts'
import { parseIntent } from '../intent.ts'
import type { Intent } from '../organisations/contract.ts'
import { findOrganisation } from '../organisations/store.ts'
import { organisationPath } from '../paths.ts'
import type { Content, Put } from '../stage.ts'
import { readText } from '../../threads/read-texts.ts'
import { type Projection, projectImport, type CurrentState } from './projection.ts'
import { applyPlan } from './apply.ts'
import { prepareContent } from './content.ts'
import type { PlannedChange } from './contract.ts'
import type { OrgDocument } from './model.ts'
import type { Parsed } from './parse.ts'
import { type Plan, planImport } from './plan.ts'
import { loadCurrentState } from './current-state.ts'
import { validateDocument } from './validate.ts'

export interface ImportOptions {
  force: boolean
  withIntent: boolean
}

export interface Imported {
  applied: boolean
  organisationId: number | null
  changes: PlannedChange[]
  warnings: string[]
}

/** Work of the caller in the import's transaction. */
export interface ImportHooks {
  /** Runs before the store is read; throws to refuse. */
  check?(tx: Tx): Promise<void>
  /** Runs after everything is written. */
  finish?(tx: Tx, governed: Governed, plan: Plan): Promise<Put[]>
  content?: Content
  skillOf?: (slug: string) => string | undefined
}

interface Inspection {
  current: CurrentState
  projection: Projection
  faults: Fault[]
}

export type Importer = ReturnType<typeof createImporter>

export function createImporter({
  db,
  files,
  clock,
  access,
}: {
  db: Db
  files: Files
  clock: Clock
  access: Pick<OrgAccess, 'govern'>
}) {
  const readIntent = async ({ organisation }: OrgDocument): Promise<Intent | null> => {
    const { organisationId, intent } = organisation
    if (organisationId === undefined || intent === undefined || intent === null) return null
    const row = await db.read((tx) => findOrganisation(tx, organisationId))
    if (row === undefined) return null
    try {
      const text = await files.read(organisationPath(row.slug, 'intent.md'))
      return text === null ? null : parseIntent(text).intent
    } catch (error) {
      // An intent.md that cannot be read certainly differs from the document.
      if (!(error instanceof AgencyError) || error.code === 'bug') throw error
      return null
    }
  }

  const parse = (by: Actor, text: string): Promise<Parsed> => readText<Parsed>('organisation', text, clock, by)

  /** Returns a document without errors and its warnings; refuses any other. */
  const parseValid = async (by: Actor, text: string): Promise<{ document: OrgDocument; faults: Fault[] }> => {
    const { document, faults } = await parse(by, text)
    refuseFaults(faults)
    if (document === null) throw refusal('invalid_input', 'the document is empty')
    return { document, faults }
  }

  return {
    /** Returns every fault of a document against the current store. */
    async examine(by: Actor, text: string): Promise<{ document: OrgDocument | null; faults: Fault[] }> {
      const { document, faults } = await parse(by, text)
      if (document === null) return { document, faults }
      const { faults: more } = await db.read((tx) => inspect(tx, document))
      return { document, faults: [...faults, ...more] }
    },

    /** Plans an import without changing anything. */
    async preview(
      by: Actor,
      text: string,
      options: ImportOptions,
    ): Promise<Imported & { document: OrgDocument; plan: Plan }> {
      const { document, faults } = await parseValid(by, text)
      const intent = await readIntent(document)
      const { current, projection, warnings } = await db.read((tx) => inspectValid(tx, document, faults))
      const plan = planImport(document, current, projection, { ...options, intent })
      const organisationId = plan.organisation.row?.id ?? null
      return { applied: false, organisationId, changes: plan.changes, warnings, document, plan }
    },

    async apply(by: Actor, text: string, options: ImportOptions, hooks: ImportHooks = {}): Promise<Imported> {
      const { document, faults } = await parseValid(by, text)
      const { organisationId } = document.organisation
      const work = async (): Promise<Imported> => {
        const intent = await readIntent(document)
        const expected = await db.read(async (tx) => {
          const { current, projection } = await inspectValid(tx, document, faults)
          return planImport(document, current, projection, { ...options, intent })
        })
        const prepared = await prepareContent(document, expected, { files, at: clock.at(), ...hooks })
        const streams: Stream[] = organisationId === undefined ? ['system'] : ['system', `org:${organisationId}`]
        return files.write(streams, { ...prepared.content, ...hooks.content }, async (tx, put) => {
          await hooks.check?.(tx)
          const { current, projection, warnings } = await inspectValid(tx, document, faults)
          const plan = planImport(document, current, projection, { ...options, intent })
          refuseConflicts(plan)
          const { row } = plan.organisation
          const hasChanges = plan.changes.some(({ action }) => action !== 'unchanged')
          if (!hasChanges && hooks.finish === undefined)
            return { applied: true, organisationId: row?.id ?? null, changes: plan.changes, warnings }
          const governed = await access.govern(tx, by, row?.id ?? null)
          const applied = await applyPlan(tx, by, governed, document, current, plan)
          const puts = prepared.putsFor(applied, plan)
          if (puts === null) throw changedMeanwhile()
          await put([...puts, ...((await hooks.finish?.(tx, governed, plan)) ?? [])])
          return {
            applied: true,
            organisationId: applied.organisation.id,
            changes: plan.changes,
            warnings: [...warnings, ...governed.warnings],
          }
        })
      }
      // The import may copy the organisation's directory or rewrite its intent, so it waits in line with every other
      // change of the directory.
      return organisationId === undefined ? work() : files.withLock(`organisation ${organisationId}`, work)
    },
  }
}

async function inspect(tx: ReadTx, document: OrgDocument): Promise<Inspection> {
  const current = await loadCurrentState(tx, document)
  const projection = projectImport(document, current)
  return { current, projection, faults: validateDocument(document, current, projection) }
}

async function inspectValid(
  tx: ReadTx,
  document: OrgDocument,
  earlier: readonly Fault[],
): Promise<Inspection & { warnings: string[] }> {
  const inspection = await inspect(tx, document)
  const faults = [...earlier, ...inspection.faults]
  refuseFaults(faults)
  return { ...inspection, warnings: faults.map(faultText) }
}

function refuseFaults(faults: readonly Fault[]): void {
  const errors = faults.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw refusal('invalid_input', `${faultText(first)}${more}`, {
    hint: '"agency org validate" lists all of them.',
    data: { issues: faults },
  })
}

const faultText = ({ line, column, message }: Fault): string =>
  line === null ? message : `line ${line}, column ${column}: ${message}`

function refuseConflicts({ conflicts }: Plan): void {
  if (conflicts.length === 0) return
  const many = conflicts.length === 1 ? '' : `${conflicts.length} conflicts, use --force for all of them: `
  throw refusal('conflict', `${many}${conflicts.join('; ')}`, {
    hint: 'List them with --preview.',
    data: { flag: '--force', conflicts },
  })
}

const changedMeanwhile = (): AgencyError =>
  refusal('conflict', 'the organisation was changed during this import; nothing was imported', {
    hint: 'Repeat it.',
  })
