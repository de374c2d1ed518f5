import type { ReadTx, Tx } from '../db/port.ts'
import type { SystemActor } from '../kernel/actor.ts'
import { systemPersona } from '../kernel/ids.ts'
import type { Governed } from '../org/changes.ts'
import { insertPersona } from '../org/personas/changes.ts'
import { kindId } from '../org/personas/kinds.ts'
import { findPersona, listPoolPersonas, nextPersonaId, type Persona } from '../org/personas/store.ts'
import { findOrCreateRole } from '../org/roles/changes.ts'
import { personaSlug } from '../org/slugs.ts'
import type { Pool, PoolEntry } from './model.ts'
import { chooseEntry, type CastRequest } from './resolve.ts'

/**
 * Returns the persona of a pool entry and creates it at its first use. Locks `system` whatever streams the transaction
 * has locked: `system` sorts behind all others, so taking it last keeps the global order of locks.
 */
export async function ensurePoolPersona(tx: Tx, entry: PoolEntry): Promise<Persona> {
  const there = await findPoolPersona(tx, entry)
  if (there !== undefined) return there
  await tx.lock('system')
  // Checked again now that no other transaction can create it.
  const made = await findPoolPersona(tx, entry)
  if (made !== undefined) return made
  const id = await nextPersonaId(tx)
  return insertPersona(tx, engine, ungoverned, {
    id,
    slug: slugFor(entry, id),
    role: await findOrCreateRole(tx, engine, ungoverned, entry.division),
    name: entry.name,
    personaTypeId: kindId({ type: 'agent', subtype: 'internal' }),
    canCreateChannel: false,
    origin: 'pool',
  })
}

export interface PoolCast {
  personaId: number
  /** The path of the personality's file. */
  personality: string
  warning: string | null
}

/** Casts from the pool and ensures that the persona exists. `not` is the persona that must not be cast. */
export async function castFromPool(
  tx: Tx,
  pool: Pool,
  { not, ...wanted }: Omit<CastRequest, 'not'> & { not?: number | null },
): Promise<PoolCast> {
  const avoided = not === undefined || not === null ? undefined : await findPersona(tx, not)
  const excluded = avoided === undefined ? undefined : entryOfPersona(pool, avoided)?.path
  const { entry, warning } = chooseEntry(pool, { ...wanted, ...(excluded === undefined ? {} : { not: excluded }) })
  const persona = await ensurePoolPersona(tx, entry)
  return { personaId: persona.id, personality: entry.path, warning }
}

/** Returns the pool entry of a persona; its slug, which never changes, identifies it. */
export const entryOfPersona = (pool: Pool, persona: Persona): PoolEntry | undefined =>
  persona.origin === 'pool' ? pool.entries.find((entry) => standsFor(persona, entry)) : undefined

/** An archived persona stays archived; a new one is created for the entry. */
const findPoolPersona = async (tx: ReadTx, entry: PoolEntry): Promise<Persona | undefined> =>
  (await listPoolPersonas(tx)).find((persona) => persona.status === 'active' && standsFor(persona, entry))

const standsFor = (persona: Persona, entry: PoolEntry): boolean => persona.slug === slugFor(entry, persona.id)

/** Made from the path: two entries may have the same name. */
const slugFor = ({ path }: PoolEntry, id: number): string => personaSlug('', path.replace(/\.md$/i, ''), id)

const engine: SystemActor = { kind: 'system', personaId: systemPersona, part: 'engine' }
const ungoverned: Governed = { data: {}, warnings: [], level: 'verbose' }
