import type { Db, ReadTx } from '../../db/port.ts'
import type { Actor } from '../../kernel/actor.ts'
import { bug, notFound, refusal } from '../../kernel/errors.ts'
import { listOpenAssignments } from '../assignments/store.ts'
import { noteOrgChange, type OrgAccess, recordOrgChange } from '../changes.ts'
import type { Contents } from '../contents.ts'
import type { Files } from '../files.ts'
import { parseIntent } from '../intent.ts'
import { organisationPath } from '../paths.ts'
import { findPosition, listPositions } from '../positions/store.ts'
import { listProposals } from '../proposals/store.ts'
import { organisationSlug } from '../slugs.ts'
import type { Content } from '../stage.ts'
import { intentText } from '../templates.ts'
import { changeOrganisation, copyOf, insertOrganisation, organisationView, settingChange } from './changes.ts'
import { organisationSettings as defaults, type OrganisationView } from './contract.ts'
import { resolveOrganisation } from './find.ts'
import { checkSetting, checkSettingKey, settingKeys } from './settings.ts'
import {
  countLiveAgentsOf,
  findOrganisation,
  listOrganisations,
  listSettings,
  nextOrganisationId,
  type Organisation,
} from './store.ts'

export type Organisations = ReturnType<typeof createOrganisations>

type Changed = OrganisationView & { warnings?: string[] }
interface Patch {
  name?: string | undefined
  description?: string | undefined
  status?: Organisation['status'] | undefined
  leadPositionId?: number | null | undefined
}

export function createOrganisations({
  db,
  files,
  contents,
  access: { govern },
}: {
  db: Db
  files: Files
  contents: Contents
  access: Pick<OrgAccess, 'govern'>
}) {
  const resolve = (reference: string): Promise<Organisation> => db.read((tx) => resolveOrganisation(tx, reference))

  /** Serialises changes of an organisation's directory. */
  const withDirectoryLock = async <T>(
    reference: string,
    work: (organisation: Organisation) => Promise<T>,
  ): Promise<T> => {
    const { id } = await resolve(reference)
    return files.withLock(`organisation ${id}`, async () => work(await db.read((tx) => requireOrganisation(tx, id))))
  }

  return {
    async create(by: Actor, input: { name: string; purpose: string; description: string }): Promise<Changed> {
      // Refuses invalid names before anything is written; the id does not matter here.
      organisationSlug(input.purpose, input.name, 1)
      return files.write([], { 'o/intent.md': intentText(input.name) }, async (tx, put) => {
        const governed = await govern(tx, by, null)
        const id = await nextOrganisationId(tx)
        const organisation = await insertOrganisation(tx, by, governed, { id, ...input, status: 'active' })
        await put([{ from: 'o', to: organisationPath(organisation.slug), keep: true }])
        return answer(organisation, governed.warnings)
      })
    },

    list: (all: boolean): Promise<{ organisations: OrganisationView[] }> =>
      db.read(async (tx) => ({
        organisations: (await listOrganisations(tx))
          .filter((each) => all || each.status !== 'archived')
          .map(organisationView),
      })),

    show: async (reference: string): Promise<OrganisationView> => organisationView(await resolve(reference)),

    update: (by: Actor, reference: string, patch: Patch): Promise<Changed> =>
      withDirectoryLock(reference, (before) => {
        const slug =
          patch.name === undefined || patch.name === before.name
            ? before.slug
            : organisationSlug(before.purpose, patch.name, before.id)
        const content = slug === before.slug ? {} : copyOf(files, before)
        return files.write([`org:${before.id}`], content, async (tx, put) => {
          const governed = await govern(tx, by, before.id)
          const organisation = await requireOrganisation(tx, before.id)
          if (organisation.slug !== before.slug)
            throw refusal('conflict', `${before.slug} has been renamed to ${organisation.slug}`, {
              hint: `Repeat the command with ${organisation.slug}.`,
            })
          await checkLead(tx, organisation, patch.leadPositionId)
          const changed = await changeOrganisation(tx, by, governed, organisation, patch)
          if (changed.slug !== organisation.slug) await put([{ from: 'o', to: organisationPath(changed.slug) }])
          return answer(changed, governed.warnings)
        })
      }),

    status: (reference: string) =>
      db.read(async (tx) => {
        const { id, slug, status } = await resolveOrganisation(tx, reference)
        const total = (await listPositions(tx, id)).length
        const filled = (await listOpenAssignments(tx, id)).length
        return {
          organisationId: id,
          slug,
          status,
          positions: { total, filled, vacant: total - filled },
          activeAgents: await countLiveAgentsOf(tx, id),
          openProposals: (await listProposals(tx, id)).filter((each) => each.status === 'open').length,
        }
      }),

    settings: (reference: string, only: string | undefined) =>
      db.read(async (tx) => {
        const keys = only === undefined ? settingKeys : [checkSettingKey(only)]
        const { id } = await resolveOrganisation(tx, reference)
        const own = new Map((await listSettings(tx, id)).map(({ key, value }) => [key, value]))
        return {
          settings: keys.map((key) => ({
            key,
            value: own.get(key) ?? defaults[key],
            default: defaults[key],
            isDefault: !own.has(key),
          })),
        }
      }),

    async set(by: Actor, reference: string, name: string, value: string) {
      const key = checkSetting(name, value)
      const { id } = await resolve(reference)
      return db.write([`org:${id}`], async (tx) => {
        const governed = await govern(tx, by, id)
        const own = (await listSettings(tx, id)).find((each) => each.key === key)
        const row = { organisationId: id, key, value }
        const changes = settingChange(own, row)
        if (changes.length > 0)
          await recordOrgChange(
            tx,
            by,
            governed,
            {
              noun: 'setting',
              action: 'set',
              message: `${key}: ${own?.value ?? defaults[key]} → ${value}`,
              data: { organisation_id: id, key, value },
            },
            changes,
          )
        return { key, value, ...warned(governed.warnings) }
      })
    },

    readIntent: async (reference: string) => contents.readIntent(await resolve(reference)),

    writeIntent: (by: Actor, reference: string, text: string) =>
      withDirectoryLock(reference, async ({ id, slug }) => {
        const path = organisationPath(slug, 'intent.md')
        const before = await files.read(path)
        const content: Content = before === null ? { new: text } : { new: text, old: { copyOf: path } }
        const parsed = parseIntent(text)
        if (before === text) return parsed
        return files.write([`org:${id}`], content, async (tx, put) => {
          const governed = await govern(tx, by, id)
          const change = { noun: 'intent', action: 'write', message: 'Intent rewritten', data: { organisation_id: id } }
          await noteOrgChange(tx, `org:${id}`, by, governed, change)
          const puts = [{ from: 'new', to: path }]
          await put(before === null ? puts : [{ from: 'old', to: `${path}.bak` }, ...puts])
          return { ...parsed, warnings: [...parsed.warnings, ...governed.warnings] }
        })
      }),
  }
}

async function checkLead(tx: ReadTx, organisation: Organisation, positionId: number | null | undefined): Promise<void> {
  if (positionId === null || positionId === undefined) return
  const position = await findPosition(tx, positionId)
  if (position === undefined)
    throw notFound('position', positionId, `List them with "agency org position list --org ${organisation.slug}".`)
  if (position.organisationId !== organisation.id)
    throw refusal('illegal_transition', `seat "${position.title}" belongs to another organisation`, {
      hint: `The lead must be a seat of ${organisation.slug}: agency org position list --org ${organisation.slug}`,
    })
}

async function requireOrganisation(tx: ReadTx, id: number): Promise<Organisation> {
  const found = await findOrganisation(tx, id)
  if (found === undefined) throw bug(`organisation ${id} vanished`)
  return found
}

const answer = (organisation: Organisation, warnings: readonly string[]): Changed => ({
  ...organisationView(organisation),
  ...warned(warnings),
})

const warned = (warnings: readonly string[]): { warnings?: string[] } =>
  warnings.length === 0 ? {} : { warnings: [...warnings] }
