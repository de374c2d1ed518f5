import type { Intent } from '../organisations/contract.ts'
import { copyOf } from '../organisations/changes.ts'
import type { Organisation } from '../organisations/store.ts'
import type { Files } from '../files.ts'
import { renderIntent } from '../intent.ts'
import { organisationPath, personaPath } from '../paths.ts'
import { organisationSlug } from '../slugs.ts'
import type { Content, Put } from '../stage.ts'
import { experienceText, intentText, personaFiles, skillText } from '../templates.ts'
import type { ProjectedPersona } from './projection.ts'
import type { Applied } from './apply.ts'
import type { DocAssignment, OrgDocument } from './model.ts'
import type { Plan } from './plan.ts'

/**
 * The files that an import writes beside the rows. They are on the disk before the transaction, which moves them to the
 * paths of the slugs.
 */
export interface ImportContent {
  readonly content: Content
  /** Returns null where the store has changed in the meantime so that files are missing. */
  putsFor(applied: Applied, plan: Plan): Put[] | null
}

export interface ContentOptions {
  files: Files
  at: string
  /** Returns a skill text of its own for a new persona, by its slug. */
  skillOf?: (slug: string) => string | undefined
}

export async function prepareContent(
  document: OrgDocument,
  plan: Plan,
  { files, at, skillOf }: ContentOptions,
): Promise<ImportContent> {
  const folders = new Map<DocAssignment, string>()
  const content: Record<string, Content[string]> = {}
  for (const { persona } of plan.personas) {
    const [doc] = persona.docs
    if (persona.row !== null || doc === undefined || !isAgent(persona)) continue
    const folder = `p${folders.size}`
    folders.set(doc, folder)
    const name = doc.personaName ?? ''
    const skill = skillOf?.(doc.personaSlug ?? '') ?? skillText(name, persona.role?.name ?? '')
    Object.assign(content, personaFiles(folder, skill, experienceText(name, at)))
  }
  const organisation = await organisationContent(document, plan, files)
  Object.assign(content, organisation.content)
  return {
    content,
    putsFor(applied, now) {
      const puts = organisation.putsFor(applied.organisation, now)
      if (puts === null) return null
      for (const [persona, row] of applied.personas) {
        if (!isAgent(persona)) continue
        const folder = folders.get(persona.docs[0] as DocAssignment)
        if (folder === undefined) return null
        // Existing files stay, for example those of a data directory that was copied together with the document.
        puts.push({ from: folder, to: personaPath(row.slug), keep: true })
      }
      return puts
    },
  }
}

const isAgent = ({ docs }: ProjectedPersona): boolean =>
  docs.find((doc) => doc.personaType !== undefined)?.personaType?.startsWith('person/') !== true

interface OrganisationContent {
  content: Content
  putsFor(organisation: Organisation, plan: Plan): Put[] | null
}

async function organisationContent(
  { organisation: doc }: OrgDocument,
  plan: Plan,
  files: Files,
): Promise<OrganisationContent> {
  const { row, patch } = plan.organisation
  const name = doc.name ?? row?.name ?? ''
  const purpose = doc.purpose ?? row?.purpose ?? ''
  const id = row?.id ?? doc.organisationId
  // Without an id in the document the directory is new, whatever its slug will be.
  const slug = id === undefined ? null : organisationSlug(purpose, name, id)
  const isRenamed = row !== null && (patch.name !== undefined || patch.purpose !== undefined) && slug !== row.slug
  const isWritten = row === null || plan.intent !== null
  const before = slug === null || !isWritten ? null : await files.read(organisationPath(row?.slug ?? slug, 'intent.md'))
  const content: Record<string, Content[string]> = {
    ...(isRenamed ? copyOf(files, row) : {}),
    ...(row === null ? { 'o/intent.md': intentOf(null, name, plan.intent) } : {}),
  }
  const text = plan.intent === null ? null : intentOf(before, name, plan.intent)
  const isRewritten = before !== null && text !== null && text !== before
  if (text !== null && row !== null) content['intent/new'] = text
  if (isRewritten) Object.assign(content, { 'intent/new': text, 'intent/old': before })
  return {
    content,
    putsFor(organisation, now) {
      const found = now.organisation.row
      const isMoved = found !== null && organisation.slug !== found.slug
      if (row?.slug !== found?.slug) return isMoved || now.intent !== null ? null : []
      const path = organisationPath(organisation.slug)
      const puts: Put[] = []
      if (found === null) puts.push({ from: 'o', to: path, keep: true })
      else if (isMoved) puts.push({ from: 'o', to: path })
      if (isRewritten) puts.push({ from: 'intent/old', to: `${path}/intent.md.bak` })
      if (Object.hasOwn(content, 'intent/new')) puts.push({ from: 'intent/new', to: `${path}/intent.md` })
      return puts
    },
  }
}

const intentOf = (before: string | null, name: string, intent: Intent | null): string =>
  intent === null ? intentText(name) : renderIntent(before ?? intentText(name), intent)
