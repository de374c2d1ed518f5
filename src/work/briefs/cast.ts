import type { ReadTx } from '../../db/port.ts'
import { AgencyError, notFound, refusal } from '../../kernel/errors.ts'
import { systemPersona } from '../../kernel/ids.ts'
import { findHolder, listOpenAssignmentsOfPersona } from '../../org/assignments/store.ts'
import { isDirector } from '../../org/governance.ts'
import { resolvePersona } from '../../org/personas/find.ts'
import { findPersona, type Persona } from '../../org/personas/store.ts'
import { findPosition } from '../../org/positions/store.ts'
import type { BriefSpec } from './contract.ts'

type Part = 'persona' | 'verifier'
const parts: readonly Part[] = ['persona', 'verifier']

/** Refuses a plan that names an unknown persona, or lets a persona judge its own work. */
export async function checkCast(tx: ReadTx, specs: readonly BriefSpec[]): Promise<void> {
  const known = new Map<string, number>()
  for (const spec of specs)
    for (const part of parts) {
      const name = spec[part]
      if (name === undefined || known.has(name)) continue
      known.set(name, (await requireAgent(tx, name, `brief "${spec.key}": ${part}: `)).id)
    }
  for (const { key, persona, verifier, verify } of specs) {
    if (verifier === undefined) continue
    if (verify === 'none') throw refusal('invalid_input', `brief "${key}" names a verifier, but has verify: none`)
    const judge = known.get(verifier)
    if (judge === (persona === undefined ? systemPersona : known.get(persona)) && judge !== systemPersona)
      throw refusal('invalid_input', `brief "${key}": "${verifier}" does the work and cannot verify it`)
  }
}

/** Returns the refusal of a planner's cast as a sentence for the planner, or null. */
export async function faultOfCast(
  tx: ReadTx,
  specs: readonly BriefSpec[],
  organisationId: number,
): Promise<string | null> {
  try {
    await checkCast(tx, specs)
    for (const [name, personaId] of await castAll(tx, specs)) await refuseRights(tx, name, personaId, organisationId)
    return null
  } catch (error) {
    if (error instanceof AgencyError && error.code !== 'bug')
      return [error.message, error.hint].filter((text) => text !== undefined).join('. ')
    throw error
  }
}

/**
 * Refuses a persona whose rights are not the planner's to give: an attempt writes the experience of its persona, and the
 * AR Director decides about proposals.
 */
async function refuseRights(tx: ReadTx, name: string, personaId: number, organisationId: number): Promise<void> {
  const seats = await listOpenAssignmentsOfPersona(tx, personaId)
  if (seats.length > 0 && seats.every((seat) => seat.organisationId !== organisationId))
    throw refusal('forbidden', `"${name}" works for another organisation; only the operator can cast it here`)
  if (await isDirector(tx, personaId, organisationId))
    throw refusal('forbidden', `"${name}" is the AR Director, whom only the operator can cast`)
}

/** Resolves the named personas. A name that no longer exists is left out, so that no particular persona is used. */
export async function castAll(tx: ReadTx, specs: readonly BriefSpec[]): Promise<ReadonlyMap<string, number>> {
  const names = new Set(specs.flatMap((spec) => parts.map((part) => spec[part])).filter((name) => name !== undefined))
  const cast = new Map<string, number>()
  for (const name of names) {
    const persona = await resolvePersona(tx, name).catch((error: unknown) => {
      if (isUnresolved(error)) return null
      throw error
    })
    if (persona !== null) cast.set(name, persona.id)
  }
  return cast
}

/** Returns the seat of a persona in an organisation, if it has exactly one there. */
export async function seatOf(tx: ReadTx, organisationId: number, personaId: number): Promise<number | null> {
  if (personaId === systemPersona) return null
  const seats = (await listOpenAssignmentsOfPersona(tx, personaId)).filter(
    (assignment) => assignment.organisationId === organisationId,
  )
  return seats.length === 1 ? (seats[0]?.positionId ?? null) : null
}

/** Returns the persona that works for a seat; refuses a seat that nobody holds whom a run can start. */
export async function requireHolder(tx: ReadTx, positionId: number, organisationId: number): Promise<Persona> {
  const seat = await findPosition(tx, positionId)
  if (seat === undefined || seat.organisationId !== organisationId) throw notFound('seat', String(positionId))
  const holder = await findHolder(tx, positionId)
  const persona = holder === undefined ? undefined : await findPersona(tx, holder.personaId)
  if (persona === undefined)
    throw refusal('conflict', `seat ${positionId} (${seat.title}) is vacant`, {
      hint: `Assign somebody: agency org assign --position-id ${positionId} --persona-slug SLUG`,
    })
  return requireAgent(tx, persona.slug, `seat ${positionId} (${seat.title}): `)
}

/** Returns a persona that a run can start; `where` is the prefix of the message if there is none. */
export async function requireAgent(tx: ReadTx, name: string, where = ''): Promise<Persona> {
  const persona = await resolvePersona(tx, name).catch((error: unknown) => {
    if (!isUnresolved(error)) throw error
    throw refusal(error.code === 'conflict' ? 'conflict' : 'invalid_input', `${where}${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      data: error.data,
    })
  })
  if (isPerson(persona)) throw refusal('invalid_input', `${where}"${name}" is a person; a run can start only agents`)
  if (persona.status === 'archived')
    throw refusal('conflict', `${where}"${name}" is archived`, {
      hint: `Restore ${persona.slug}, or name another persona.`,
    })
  return persona
}

/** Persona types 3 and 4 are people. */
const isPerson = (persona: Persona): boolean => persona.personaTypeId > 2

const isUnresolved = (error: unknown): error is AgencyError =>
  error instanceof AgencyError && (error.code === 'not_found' || error.code === 'conflict')
