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
import { castingOf, type Wanted } from './resolve.ts'

/**
 * The persona that stands for somebody of the pool, made when it is needed first. Whatever streams the transaction
 * named: `system` sorts behind all others, so that taking it last is the order in which everybody takes them.
 */
export async function ensurePoolPersona(tx: Tx, entry: PoolEntry): Promise<Persona> {
  const there = await findPoolPersona(tx, entry)
  if (there !== undefined) return there
  await tx.lock('system')
  // Again, now that nobody else can make it.
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
  /** The path of the file. */
  personality: string
  warning: string | null
}

/** Casts from the pool and makes sure of the persona. `not`: whoever must not do it, by persona. */
export async function castFromPool(
  tx: Tx,
  pool: Pool,
  { not, ...wanted }: Omit<Wanted, 'not'> & { not?: number | null },
): Promise<PoolCast> {
  const avoided = not === undefined || not === null ? undefined : await findPersona(tx, not)
  const excluded = avoided === undefined ? undefined : entryOfPersona(pool, avoided)?.path
  const { entry, warning } = castingOf(pool, { ...wanted, ...(excluded === undefined ? {} : { not: excluded }) })
  const persona = await ensurePoolPersona(tx, entry)
  return { personaId: persona.id, personality: entry.path, warning }
}

/** Who of the pool a persona stands for: its slug, which never changes, says so. */
export const entryOfPersona = (pool: Pool, persona: Persona): PoolEntry | undefined =>
  persona.origin === 'pool' ? pool.entries.find((entry) => standsFor(persona, entry)) : undefined

/** One that was put away stays away; the pool's is made anew. */
const findPoolPersona = async (tx: ReadTx, entry: PoolEntry): Promise<Persona | undefined> =>
  (await listPoolPersonas(tx)).find((persona) => persona.status === 'active' && standsFor(persona, entry))

const standsFor = (persona: Persona, entry: PoolEntry): boolean => persona.slug === slugFor(entry, persona.id)

/** Of its path: two may bear one name. */
const slugFor = ({ path }: PoolEntry, id: number): string => personaSlug('', path.replace(/\.md$/i, ''), id)

const engine: SystemActor = { kind: 'system', personaId: systemPersona, part: 'engine' }
const ungoverned: Governed = { data: {}, warnings: [], level: 'verbose' }
