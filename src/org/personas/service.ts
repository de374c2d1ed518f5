import type { Db, ReadTx, Tx } from '../../db/port.ts'
import { updated } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { systemPersona } from '../../kernel/ids.ts'
import { fold } from '../../kernel/text.ts'
import type { OutputOf } from '../../operations/contract.ts'
import { readTexts } from '../../threads/read-texts.ts'
import { type Governed, noteOrgChange, type OrgAccess, recordOrgChange } from '../changes.ts'
import { checkHasFiles, type Contents } from '../contents.ts'
import { type Files, maxFileBytes } from '../files.ts'
import { personaPath } from '../paths.ts'
import { findOrCreateRole, requireRole } from '../roles/changes.ts'
import { findRoleByName, listRoles } from '../roles/store.ts'
import { checkName } from '../slugs.ts'
import { experienceText, personaFiles, skillText } from '../templates.ts'
import type { AgentText } from './agent-file.ts'
import { emptySeats, type HeldSeat, listHeldSeats, refuseArchiving, writeWithSeats } from './archive.ts'
import { insertPersona, personaView, personaViews } from './changes.ts'
import type { PersonaView, personaOperations } from './contract.ts'
import { resolvePersona } from './find.ts'
import { type AgentFile, planImport } from './import-plan.ts'
import { hasFiles, isSeeded, kindId } from './kinds.ts'
import { findPersona, listPersonas, type Persona, personas } from './store.ts'

export type Personas = ReturnType<typeof createPersonas>

type Changed = PersonaView & { warnings?: string[] }

interface NewPersona extends Pick<PersonaView, 'name' | 'role' | 'type' | 'subtype' | 'canCreateChannel'> {}

interface Patch {
  name?: string | undefined
  role?: string | undefined
  status?: Persona['status'] | undefined
  canCreateChannel?: boolean | undefined
  unassign: boolean
}

/** Each entry writes the whole file again, and agents write many. */
const maxFileBytesOfAgents = 1_000_000

export function createPersonas({
  db,
  files,
  contents,
  clock,
  access,
}: {
  db: Db
  files: Files
  contents: Contents
  clock: Clock
  access: Pick<OrgAccess, 'govern' | 'checkFence'>
}) {
  const { govern } = access
  const resolve = (reference: string): Promise<Persona> => db.read((tx) => resolvePersona(tx, reference))

  /** Replaces the text of one of a persona's files; `make` receives the current text. */
  async function rewrite(
    by: Actor,
    reference: string,
    file: 'skill.md' | 'experience.md',
    action: string,
    make: (before: Buffer | null, persona: Persona) => string | Uint8Array,
  ): Promise<{ bytes: number; warnings?: string[] }> {
    const persona = await resolve(reference)
    checkHasFiles(persona)
    return files.withLock(`persona ${persona.id}`, async () => {
      const path = personaPath(persona.slug, file)
      const text = make(await files.readBytes(path), persona)
      const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.length
      const most = by.kind === 'agent' ? maxFileBytesOfAgents : maxFileBytes
      if (bytes > most)
        throw refusal('too_large', `${path} would be larger than ${most / 1_000_000} MB`, {
          hint: `Shorten it first: agency org persona experience --slug ${persona.slug} --write`,
        })
      return files.write(['system'], { text }, async (tx, put) => {
        const governed = await governContent(tx, by, persona, action)
        const message = `${file} of ${persona.slug}: ${action}`
        await noteOrgChange(tx, 'system', by, governed, {
          noun: 'persona',
          action,
          message,
          data: { persona_id: persona.id, file, bytes },
        })
        await put([{ from: 'text', to: path }])
        return { bytes, ...warned(governed.warnings) }
      })
    })
  }

  /** An agent appends to its own experience freely; every other change of content is the AR Director's business. */
  async function governContent(tx: Tx, by: Actor, persona: Persona, action: string): Promise<Governed> {
    if (by.kind !== 'agent' || action !== 'append' || by.personaId !== persona.id) return govern(tx, by, null)
    await access.checkFence(tx, by)
    return { data: {}, warnings: [] }
  }

  const changePersona = (
    by: Actor,
    id: number,
    { unassign, ...patch }: Patch,
  ): Promise<{ persona: PersonaView; unassigned: string[]; warnings?: string[] }> =>
    writeWithSeats(db, id, async (tx) => {
      const governed = await govern(tx, by, null)
      const persona = await requirePersona(tx, id)
      refuseForSeeded(persona, patch)
      if (patch.name !== undefined) checkName(patch.name)
      const archives = patch.status === 'archived' && persona.status !== 'archived'
      const seats = archives ? await listHeldSeats(tx, persona) : []
      if (archives) await refuseArchiving(tx, persona, seats, unassign)
      const emptied = await emptySeats(tx, by, govern, persona, seats)
      const changed = await applyPatch(tx, by, governed, persona, {
        ...(patch.name === undefined ? {} : { name: patch.name }),
        ...(patch.role === undefined ? {} : { roleId: (await requireRole(tx, patch.role)).id }),
        ...(patch.status === undefined ? {} : { status: patch.status }),
        ...(patch.canCreateChannel === undefined ? {} : { canCreateChannel: patch.canCreateChannel }),
      })
      const warnings = [...new Set([...governed.warnings, ...emptied.warnings])]
      return {
        persona: await personaView(tx, files, changed),
        unassigned: seats.map((seat) => seat.label),
        ...warned(warnings),
      }
    })

  return {
    async create(by: Actor, input: NewPersona): Promise<Changed> {
      checkName(input.name)
      const role = (await db.read((tx) => findRoleByName(tx, input.role)))?.name ?? input.role
      const personaTypeId = kindId(input)
      const skill = skillText(input.name, role)
      const content = input.type === 'agent' ? personaFiles('p', skill, experienceText(input.name, clock.at())) : {}
      return files.write(['system'], content, async (tx, put) => {
        const governed = await govern(tx, by, null)
        const persona = await insertPersona(tx, by, governed, {
          role: await findOrCreateRole(tx, by, governed, input.role),
          name: input.name,
          personaTypeId,
          canCreateChannel: input.canCreateChannel,
          origin: null,
        })
        if (hasFiles(persona)) await put([{ from: 'p', to: personaPath(persona.slug), keep: true }])
        return { ...(await personaView(tx, files, persona)), ...warned(governed.warnings) }
      })
    },

    list: (query: { active: boolean; role?: string | undefined; all: boolean }) =>
      db.read(async (tx) => {
        const role = query.role === undefined ? undefined : await requireRole(tx, query.role)
        const rows = (await listPersonas(tx))
          .filter((each) => query.all || isShown(each))
          .filter((each) => !query.active || each.status === 'active')
          .filter((each) => role === undefined || each.roleId === role.id)
        return { personas: await personaViews(tx, files, rows) }
      }),

    show: (reference: string) =>
      db.read(async (tx) => {
        const persona = await resolvePersona(tx, reference)
        return {
          persona: await personaView(tx, files, persona),
          positions: (await listHeldSeats(tx, persona)).flatMap(heldPosition),
        }
      }),

    async update(by: Actor, reference: string, patch: Patch): Promise<Changed> {
      const { persona, warnings } = await changePersona(by, (await resolve(reference)).id, patch)
      return { ...persona, ...warned(warnings ?? []) }
    },

    async archive(by: Actor, reference: string, { unassign, preview }: { unassign: boolean; preview: boolean }) {
      if (!preview) {
        const { id } = await resolve(reference)
        return { ...(await changePersona(by, id, { status: 'archived', unassign })), archived: true }
      }
      return db.read(async (tx) => {
        const persona = await resolvePersona(tx, reference)
        const seats = await listHeldSeats(tx, persona)
        return {
          persona: await personaView(tx, files, persona),
          unassigned: seats.map((seat) => seat.label),
          archived: false,
        }
      })
    },

    readSkill: async (reference: string) => ({ text: await contents.readSkill(await resolve(reference)) }),

    readExperience: async (reference: string) => ({ text: await contents.readExperience(await resolve(reference)) }),

    writeSkill: (by: Actor, reference: string, text: string) => rewrite(by, reference, 'skill.md', 'write', () => text),

    writeExperience: (by: Actor, reference: string, text: string) =>
      rewrite(by, reference, 'experience.md', 'write', () => text),

    appendExperience: (by: Actor, reference: string, text: string) =>
      rewrite(by, reference, 'experience.md', 'append', (before, persona) => {
        const start = before ?? Buffer.from(experienceText(persona.name, clock.at()))
        const author = by.kind === 'agent' ? `agent ${by.agentId}` : by.kind
        const entry = `\n## ${clock.at().slice(0, 10)} · ${author}\n\n${text.trim()}\n`
        return Buffer.concat([
          start,
          Buffer.from(start.length === 0 || start.at(-1) === newline ? entry : `\n${entry}`),
        ])
      }),

    async importFiles(
      by: Actor,
      input: { files: readonly { path: string; text: string }[]; role?: string | undefined; preview: boolean },
    ): Promise<OutputOf<typeof personaOperations.importFiles>> {
      const texts = input.files.map(({ text }) => text)
      const read = await readTexts<AgentText | null>('persona', texts, clock, by)
      const agents = input.files.map(({ path }, index) => ({ path, agent: read[index] ?? null }))
      const { personas: planned, skipped } = await db.read((tx) => plan(tx, agents, input.role))
      if (input.preview || planned.length === 0)
        return { created: planned.map((each) => ({ ...shownOf(each), personaId: null, slug: null })), skipped }
      const at = clock.at()
      const staged = planned.map(({ index, name, skill }) => personaFiles(`p${index}`, skill, experienceText(name, at)))
      return files.write(['system'], Object.assign({}, ...staged), async (tx, put) => {
        const governed = await govern(tx, by, null)
        // Planned again under the lock: of two concurrent imports of the same files, the second finds the personas of
        // the first.
        const now = await plan(tx, agents, input.role)
        const created = []
        const puts = []
        for (const each of now.personas) {
          if (!planned.some(({ index }) => index === each.index))
            throw refusal('conflict', 'the personas changed during the import', { hint: 'Repeat the import.' })
          const persona = await insertPersona(tx, by, governed, {
            role: await findOrCreateRole(tx, by, governed, each.role),
            name: each.name,
            personaTypeId: kindId({ type: 'agent', subtype: 'internal' }),
            canCreateChannel: false,
            origin: 'import',
          })
          puts.push({ from: `p${each.index}`, to: personaPath(persona.slug), keep: true as const })
          created.push({ ...shownOf(each), personaId: persona.id, slug: persona.slug })
        }
        await put(puts)
        return { created, skipped: now.skipped }
      })
    },
  }
}

const newline = 0x0a

async function plan(
  tx: ReadTx,
  files: readonly AgentFile[],
  role: string | undefined,
): Promise<ReturnType<typeof planImport>> {
  const roles = new Map((await listRoles(tx)).map((each) => [each.id, fold(each.name)]))
  const known = new Map(
    (await listPersonas(tx)).map((each) => [`${fold(each.name)}\n${roles.get(each.roleId)}`, each.slug]),
  )
  return planImport(files, role, (name, wanted) => known.get(`${fold(name)}\n${fold(wanted)}`))
}

const shownOf = ({ path, name, role }: { path: string; name: string; role: string }) => ({ path, name, role })

async function applyPatch(
  tx: Tx,
  by: Actor,
  governed: Governed,
  persona: Persona,
  patch: Partial<Persona>,
): Promise<Persona> {
  const fields = (Object.keys(patch) as (keyof Persona)[]).filter((name) => patch[name] !== persona[name])
  if (fields.length === 0) return persona
  const changed = { ...patch, updatedAt: tx.at }
  const isArchived = fields.includes('status') && patch.status === 'archived'
  await recordOrgChange(
    tx,
    by,
    governed,
    {
      noun: 'persona',
      action: isArchived ? 'archive' : 'update',
      message: `Persona ${persona.slug} ${isArchived ? 'archived' : `changed: ${fields.join(', ')}`}`,
      data: { persona_id: persona.id, fields },
    },
    [updated(personas, persona, changed)],
  )
  return { ...persona, ...changed }
}

function refuseForSeeded(persona: Persona, patch: Omit<Patch, 'unassign'>): void {
  if (!isSeeded(persona)) return
  if (persona.id === systemPersona) throw refusal('forbidden', `${persona.slug} is Agency itself and cannot be changed`)
  if (patch.role !== undefined)
    throw refusal('forbidden', `${persona.slug} keeps its role: the role identifies the operator`)
}

/** Personas cast from the pool are temporary, and the system cannot be addressed. */
const isShown = ({ id, origin }: Persona): boolean => id !== systemPersona && origin !== 'pool'

const heldPosition = ({ assignment, organisation }: HeldSeat) =>
  assignment.positionId === null
    ? []
    : [
        {
          positionId: assignment.positionId,
          title: assignment.positionTitle,
          organisation,
          assignedAt: assignment.assignedAt,
        },
      ]

async function requirePersona(tx: ReadTx, id: number): Promise<Persona> {
  const persona = await findPersona(tx, id)
  if (persona === undefined) throw bug(`persona ${id} vanished`)
  return persona
}

const warned = (warnings: readonly string[]): { warnings?: string[] } =>
  warnings.length === 0 ? {} : { warnings: [...warnings] }
