import type { Tx } from '../db/port.ts'
import { slug } from '../kernel/text.ts'
import { listOpenAssignments } from '../org/assignments/store.ts'
import { findPersona, type Persona } from '../org/personas/store.ts'
import { findRole } from '../org/roles/store.ts'
import type { TierName } from '../team/contract.ts'
import type { Pool } from './model.ts'
import { castFromPool, type PoolCast } from './personas.ts'
import { stemOf } from './pick.ts'
import { defaultTalent, isTalent } from './resolve.ts'

export interface SeatCastRequest {
  organisationId: number
  tier: TierName
  domain: string | null
  wanted: string | null
  not: number | null
}

/**
 * Casts the named personality; otherwise a seat holder of the organisation with the fitting role; otherwise the pool's
 * entry for the tier and the domain.
 */
export async function castOne(
  tx: Tx,
  pool: Pool,
  { organisationId, ...wanted }: SeatCastRequest,
): Promise<Omit<PoolCast, 'personality'> & { personality: string | null }> {
  const isNamed = wanted.wanted !== null && isTalent(pool, wanted.wanted)
  const seated = isNamed ? undefined : await findSeated(tx, pool, organisationId, wanted)
  if (seated === undefined) return castFromPool(tx, pool, wanted)
  const warning =
    wanted.wanted === null
      ? null
      : `the talent pool has no "${wanted.wanted.slice(0, 100)}"; cast seat holder ${seated.slug} instead`
  return { personaId: seated.id, personality: null, warning }
}

/** The roles of a new organisation that fit a tier in every domain. */
const rolesOfTier: Readonly<Record<TierName, readonly string[]>> = {
  t1: ['pm'],
  t2: ['architect'],
  t3: ['architect', 'developer'],
  t4: ['developer'],
  t5: ['qa'],
}

/**
 * Finds a seat holder whose role is that of the pool's default entry, by file or by name; otherwise one whose role fits
 * the tier.
 */
async function findSeated(
  tx: Tx,
  pool: Pool,
  organisationId: number,
  { tier, domain, not }: Omit<SeatCastRequest, 'organisationId'>,
): Promise<Persona | undefined> {
  const open = await listOpenAssignments(tx, organisationId)
  if (open.length === 0) return undefined
  const entry = defaultTalent(pool, tier, domain ?? '')
  const holders: { persona: Persona; role: string }[] = []
  for (const { personaId } of open) {
    if (personaId === not) continue
    const persona = await findPersona(tx, personaId)
    // Types 3 and 4 are people.
    if (persona === undefined || persona.status !== 'active' || persona.personaTypeId > 2) continue
    const role = await findRole(tx, persona.roleId)
    if (role !== undefined) holders.push({ persona, role: slug(role.name) })
  }
  const fitting = [stemOf(entry.path), slug(entry.name), ...rolesOfTier[tier]]
  return fitting.flatMap((name) => holders.filter(({ role }) => role === name))[0]?.persona
}
