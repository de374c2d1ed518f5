import type { ReadTx, Tx } from '../../db/port.ts'
import { inserted } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import { refusal } from '../../kernel/errors.ts'
import { fold } from '../../kernel/text.ts'
import { type Governed, recordOrgChange } from '../changes.ts'
import type { Files } from '../files.ts'
import { personaPath } from '../paths.ts'
import { findRole, listRoles, type Role } from '../roles/store.ts'
import { personaSlug } from '../slugs.ts'
import { join } from 'node:path'
import type { PersonaView } from './contract.ts'
import { hasFiles, kindOf } from './kinds.ts'
import { countLiveAgents, nextPersonaId, type Persona, personas } from './store.ts'

/** Requires the lock on the `system` stream. Id and slug are given where a document states them. */
export async function insertPersona(
  tx: Tx,
  by: Actor,
  governed: Governed,
  {
    role,
    ...input
  }: { role: Role; id?: number; slug?: string } & Pick<
    Persona,
    'name' | 'personaTypeId' | 'canCreateChannel' | 'origin'
  > &
    Partial<Pick<Persona, 'status'>>,
): Promise<Persona> {
  if (fold(role.name) === 'system') throw refusal('forbidden', 'the role "system" is reserved for Agency')
  const id = input.id ?? (await nextPersonaId(tx))
  const persona: Persona = {
    id,
    name: input.name,
    slug: input.slug ?? personaSlug(role.name, input.name, id),
    roleId: role.id,
    personaTypeId: input.personaTypeId,
    status: input.status ?? 'active',
    canCreateChannel: input.canCreateChannel,
    origin: input.origin,
    createdAt: tx.at,
    updatedAt: tx.at,
  }
  await recordOrgChange(
    tx,
    by,
    governed,
    {
      noun: 'persona',
      action: 'create',
      message: `Persona ${persona.name} created`,
      data: { persona_id: id, slug: persona.slug, ...(persona.origin === null ? {} : { origin: persona.origin }) },
    },
    [inserted(personas, persona)],
  )
  return persona
}

/** Builds the views of personas, reading each other table once. */
export async function personaViews(tx: ReadTx, files: Files, rows: readonly Persona[]): Promise<PersonaView[]> {
  const roles = new Map((await listRoles(tx)).map((role) => [role.id, role.name]))
  const agents = await countLiveAgents(tx)
  return rows.map((persona) => viewOf(files, persona, roles.get(persona.roleId) ?? '', agents.get(persona.id) ?? 0))
}

export async function personaView(tx: ReadTx, files: Files, persona: Persona): Promise<PersonaView> {
  const role = await findRole(tx, persona.roleId)
  return viewOf(files, persona, role?.name ?? '', (await countLiveAgents(tx)).get(persona.id) ?? 0)
}

function viewOf(files: Files, persona: Persona, role: string, activeAgents: number): PersonaView {
  const pathOf = (name: string): string | null =>
    hasFiles(persona) ? join(files.root, personaPath(persona.slug, name)) : null
  return {
    personaId: persona.id,
    name: persona.name,
    slug: persona.slug,
    role,
    ...kindOf(persona),
    status: persona.status,
    canCreateChannel: persona.canCreateChannel,
    origin: persona.origin,
    skillFile: pathOf('skill.md'),
    experienceFile: pathOf('experience.md'),
    activeAgents,
    createdAt: persona.createdAt,
    updatedAt: persona.updatedAt,
  }
}
