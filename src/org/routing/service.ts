import type { Db, ReadTx } from '../../db/port.ts'
import type { Actor } from '../../kernel/actor.ts'
import { AgencyError, notFound, refusal } from '../../kernel/errors.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import { listOpenAssignments, listOpenAssignmentsOfPersona } from '../assignments/store.ts'
import { childrenOf, walkUp } from '../chart/lines.ts'
import type { OrgAccess } from '../changes.ts'
import type { Contents } from '../contents.ts'
import type { Intent } from '../organisations/contract.ts'
import { findOrganisation, type Organisation } from '../organisations/store.ts'
import { findPersona, type Persona } from '../personas/store.ts'
import type { Position } from '../positions/store.ts'
import { findRole } from '../roles/store.ts'
import { loadStructure, type Structure } from '../structure.ts'

export interface RoutingDeps {
  db: Db
  access: OrgAccess
  contents: Contents
}

/** A seat that a persona holds, with its surroundings. */
interface Held {
  structure: Structure
  position: Position
}

export interface Routed {
  address: string
  tried: string[]
  positionId: number | null
  position: string | null
  personaId: number | null
  persona: string | null
}

export type Routing = ReturnType<typeof createRouting>

export function createRouting({ db, access, contents }: RoutingDeps) {
  return {
    async whoami(by: Actor, reference: string | undefined, org: string | undefined) {
      const { persona, role, held } = await db.read(async (tx) => {
        const found = await personaOf(tx, access, by, reference)
        return {
          persona: found,
          role: (await findRole(tx, found.roleId))?.name ?? '',
          held: await heldSeats(tx, access, found, org),
        }
      })
      const cards = []
      for (const each of held)
        cards.push({ ...card(each), intent: await intentOf(contents, each.structure.organisation) })
      return { personaId: persona.id, name: persona.name, slug: persona.slug, role, cards }
    },

    /** Resolves against the store, never against a document: an address always means the current holder. */
    route: (by: Actor, from: string | undefined, to: string, org: string | undefined): Promise<Routed> =>
      db.read(async (tx) => {
        const [kind, rest] = splitAddress(to)
        if (kind === 'operator')
          return {
            ...unresolved(to),
            tried: ['operator'],
            personaId: operatorPersona,
            persona: (await findPersona(tx, operatorPersona))?.slug ?? null,
          }
        if (kind === 'persona') return toPersona(tx, to, await access.resolvePersona(tx, rest))
        if (kind === 'position') return toPosition(await structureAt(tx, access, rest, org), to, titleIn(rest))
        if (kind === 'role') return toRole(tx, await structureAt(tx, access, rest, org), to, titleIn(rest))
        const sender = await personaOf(tx, access, by, from === undefined ? undefined : senderReference(from))
        return upwards(tx, access, sender, kind, to, org)
      }),
  }
}

/** The card is returned even where the intent file is missing. */
async function intentOf(contents: Contents, organisation: Organisation): Promise<Intent> {
  try {
    return (await contents.readIntent(organisation)).intent
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    return { optimiseFor: [], protect: [], neverSacrifice: [], constraints: [] }
  }
}

async function personaOf(tx: ReadTx, access: OrgAccess, by: Actor, reference: string | undefined): Promise<Persona> {
  if (reference !== undefined) return access.resolvePersona(tx, reference)
  if (by.kind !== 'agent')
    throw refusal('invalid_input', 'which persona?', {
      hint: 'Name it: "agency org whoami --persona-slug SLUG", "agency org route --from persona:SLUG --to ADDRESS".',
    })
  const persona = await findPersona(tx, by.personaId)
  if (persona === undefined) throw notFound('persona', by.personaId)
  return persona
}

async function heldSeats(tx: ReadTx, access: OrgAccess, persona: Persona, org: string | undefined): Promise<Held[]> {
  const only = org === undefined ? null : await access.resolveOrganisation(tx, org)
  const held: Held[] = []
  for (const assignment of await listOpenAssignmentsOfPersona(tx, persona.id)) {
    if (only !== null && assignment.organisationId !== only.id) continue
    const organisation = await findOrganisation(tx, assignment.organisationId)
    if (organisation === undefined || assignment.positionId === null) continue
    const structure = await loadStructure(tx, organisation)
    const position = structure.byId.get(assignment.positionId)
    if (position !== undefined) held.push({ structure, position })
  }
  return held
}

function card({ structure, position }: Held) {
  const named = (seat: Position): string => {
    const holder = structure.holders.get(seat.id)
    return `${seat.title} (${holder === undefined ? 'vacant' : holder.persona.slug})`
  }
  const siblings = childrenOf(structure.positions).get(position.reportsToId) ?? []
  return {
    positionId: position.id,
    title: position.title,
    role: structure.roles.get(position.roleId)?.name ?? '',
    level: position.level,
    organisation: structure.organisation.slug,
    reportingLine: [...walkUp(structure.byId, position, 'reportsToId').map(named), 'operator'],
    escalationPath: [...walkUp(structure.byId, position, 'escalatesToId').map(named), 'operator'],
    directReports: (childrenOf(structure.positions).get(position.id) ?? []).map(named),
    peers: siblings.filter((seat) => seat.id !== position.id).map(named),
  }
}

type AddressKind = 'persona' | 'position' | 'role' | 'manager' | 'escalation' | 'operator'

function splitAddress(address: string): [AddressKind, string] {
  const plain = address.trim()
  if (plain === 'manager' || plain === 'escalation' || plain === 'operator') return [plain, '']
  const match = /^(persona|position|role):(.+)$/s.exec(plain)
  if (match !== null) return [match[1] as AddressKind, (match[2] as string).trim()]
  throw refusal('invalid_input', `"${plain}" is not an address`, {
    hint: 'Use persona:SLUG, position:TITLE@ORG, role:NAME@ORG, manager, escalation or operator.',
  })
}

/** Titles may contain an @; the organisation follows the last one. */
const titleIn = (rest: string): string => (rest.includes('@') ? rest.slice(0, rest.lastIndexOf('@')) : rest).trim()

async function structureAt(tx: ReadTx, access: OrgAccess, rest: string, org: string | undefined): Promise<Structure> {
  const reference = rest.includes('@') ? rest.slice(rest.lastIndexOf('@') + 1).trim() : org
  if (reference === undefined || reference === '')
    throw refusal('invalid_input', `"${rest}" names no organisation`, {
      hint: 'Append @ORG, or use --org.',
    })
  return loadStructure(tx, await access.resolveOrganisation(tx, reference))
}

function senderReference(from: string): string {
  const [kind, rest] = splitAddress(from)
  if (kind === 'persona') return rest
  throw refusal('invalid_input', `"${from}" cannot be the sender`, { hint: 'A sender is persona:SLUG.' })
}

const unresolved = (address: string): Routed => ({
  address,
  tried: [],
  positionId: null,
  position: null,
  personaId: null,
  persona: null,
})

async function toPersona(tx: ReadTx, address: string, persona: Persona): Promise<Routed> {
  const [first] = await listOpenAssignmentsOfPersona(tx, persona.id)
  return {
    address,
    tried: [`persona ${persona.slug}`],
    positionId: first?.positionId ?? null,
    position: first?.positionTitle ?? null,
    personaId: persona.id,
    persona: persona.slug,
  }
}

function toPosition(structure: Structure, address: string, title: string): Routed {
  const position = [...structure.byTitle].find(([each]) => each.toLowerCase() === title.toLowerCase())?.[1]
  if (position === undefined)
    throw notFound('seat', title, `"agency org tree --org ${structure.organisation.slug}" lists the seats.`)
  const holder = structure.holders.get(position.id)
  return {
    address,
    tried: [`${position.title}: ${holder === undefined ? 'vacant' : `held by ${holder.persona.slug}`}`],
    positionId: position.id,
    position: position.title,
    personaId: holder?.persona.id ?? null,
    persona: holder?.persona.slug ?? null,
  }
}

/** Open briefs are not counted by seat yet, so the lowest persona id decides. */
async function toRole(tx: ReadTx, structure: Structure, address: string, name: string): Promise<Routed> {
  const roleIds = new Set(
    [...structure.roles.values()]
      .filter((role) => role.name.toLowerCase() === name.toLowerCase())
      .map((role) => role.id),
  )
  if (roleIds.size === 0) throw notFound('role', name, 'List them with "agency org role list".')
  const seats = structure.positions.filter((position) => roleIds.has(position.roleId))
  const held = (await listOpenAssignments(tx, structure.organisation.id))
    .filter((row) => seats.some((seat) => seat.id === row.positionId))
    .sort((a, b) => a.personaId - b.personaId)
  const [chosen] = held
  const tried = seats.map((seat) => `${seat.title}: ${structure.holders.get(seat.id)?.persona.slug ?? 'vacant'}`)
  if (chosen === undefined) return { ...unresolved(address), tried }
  const holder = chosen.positionId === null ? undefined : structure.holders.get(chosen.positionId)
  return {
    address,
    tried,
    positionId: chosen.positionId,
    position: chosen.positionTitle,
    personaId: chosen.personaId,
    persona: holder?.persona.slug ?? null,
  }
}

/** Walks up the line to the first seat that is held; above the top is the operator. */
async function upwards(
  tx: ReadTx,
  access: OrgAccess,
  sender: Persona,
  kind: AddressKind,
  address: string,
  org: string | undefined,
): Promise<Routed> {
  const held = await heldSeats(tx, access, sender, org)
  if (held.length > 1)
    throw refusal('conflict', `${sender.slug} holds ${held.length} seats; use --org to choose one`, {
      data: { seats: held.map(({ position, structure }) => `${position.title}@${structure.organisation.slug}`) },
    })
  const [seat] = held
  const tried: string[] = []
  if (seat !== undefined) {
    const line = kind === 'manager' ? 'reportsToId' : 'escalatesToId'
    for (const above of walkUp(seat.structure.byId, seat.position, line)) {
      const holder = seat.structure.holders.get(above.id)
      tried.push(`${above.title}: ${holder === undefined ? 'vacant' : `held by ${holder.persona.slug}`}`)
      if (holder === undefined) continue
      return {
        address,
        tried,
        positionId: above.id,
        position: above.title,
        personaId: holder.persona.id,
        persona: holder.persona.slug,
      }
    }
  } else tried.push(`${sender.slug}: holds no seat`)
  const operator = await findPersona(tx, operatorPersona)
  return {
    ...unresolved(address),
    tried: [...tried, 'operator'],
    personaId: operatorPersona,
    persona: operator?.slug ?? null,
  }
}
