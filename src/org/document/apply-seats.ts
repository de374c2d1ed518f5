import { type Change, inserted, updated } from '../../events/change.ts'
import { newAssignment } from '../assignments/changes.ts'
import { assignments, nextAssignmentIds, raiseAssignmentIds } from '../assignments/store.ts'
import { recordOrgChange } from '../changes.ts'
import { authorityRow } from '../positions/removal.ts'
import {
  findPosition,
  nextPositionIds,
  type Position,
  positionAuthorities,
  positions,
  raisePositionIds,
} from '../positions/store.ts'
import type { ProjectedSeat } from './projection.ts'
import type { ImportContext, PersonaIds, RoleIds } from './import-context.ts'

export type Seats = ReadonlyMap<ProjectedSeat, Position>

/** Creates and changes seats; resolves with the new state of every seat that the plan names. */
export async function applySeats(context: ImportContext, organisationId: number, roleIds: RoleIds): Promise<Seats> {
  const { plan } = context
  const ids = await numberSeats(context)
  const idOf = (seat: ProjectedSeat | null): number | null =>
    seat === null ? null : (seat.row?.id ?? ids.get(seat) ?? null)
  await freeTitles(context)
  const seats = new Map<ProjectedSeat, Position>()
  const late: ProjectedSeat[] = []
  for (const seat of parentsFirst(plan.seats.filter((each) => each.row === null))) {
    const target = seat.escalatesTo
    const exists = target === null || target.row !== null || seats.has(target)
    if (!exists) late.push(seat)
    const position = newSeat(context, seat, organisationId, roleIds)
    const made: Position = {
      ...position,
      id: idOf(seat) as number,
      reportsToId: idOf(seat.reportsTo),
      escalatesToId: exists ? idOf(target) : null,
    }
    seats.set(seat, made)
    await recordSeat(context, 'create', made, [inserted(positions, made)])
  }
  for (const seat of late) {
    const made = seats.get(seat) as Position
    const escalatesToId = idOf(seat.escalatesTo)
    await recordSeat(context, 'update', made, [updated(positions, made, { escalatesToId })])
    seats.set(seat, { ...made, escalatesToId })
  }
  for (const seat of plan.seats) if (seat.row !== null) seats.set(seat, await changeSeat(context, seat, idOf, roleIds))
  for (const seat of [...plan.limits, ...plan.seatings].map((each) => each.seat))
    if (!seats.has(seat) && seat.row !== null) seats.set(seat, seat.row)
  const { lead } = plan
  if (lead !== null && lead !== undefined && lead.row !== null && !seats.has(lead)) seats.set(lead, lead.row)
  await applyLimits(context, seats)
  return seats
}

/**
 * Keeps ids of the document that are free and raises the counter above them; the other seats get the ids that follow.
 */
async function numberSeats({ tx, plan, current }: ImportContext): Promise<Map<ProjectedSeat, number>> {
  const ids = new Map<ProjectedSeat, number>()
  const others: ProjectedSeat[] = []
  for (const seat of plan.seats) {
    if (seat.row !== null) continue
    const id = seat.doc?.positionId
    if (id === undefined || current.foreignSeats.has(id)) others.push(seat)
    else ids.set(seat, id)
  }
  if (ids.size > 0)
    await raisePositionIds(
      tx,
      [...ids.values()].reduce((most, id) => Math.max(most, id), 0),
    )
  if (others.length > 0) {
    const first = await nextPositionIds(tx, others.length)
    for (const [index, seat] of others.entries()) ids.set(seat, first + index)
  }
  return ids
}

/**
 * Gives seats a temporary title first: two seats that swap titles, or a new seat that takes over a title, would violate
 * the unique index.
 */
async function freeTitles({ tx, by, governed, plan, current }: ImportContext): Promise<void> {
  const { structure } = current
  const wanted = new Set(plan.seats.filter((seat) => seat.row?.title !== seat.title).map((seat) => seat.title))
  const inTheWay = plan.seats.flatMap(({ row, title }) =>
    row !== null && row.title !== title && wanted.has(row.title) ? [row] : [],
  )
  const [first] = inTheWay
  if (first === undefined) return
  let mark = 'between titles'
  while (inTheWay.some((row) => structure?.byTitle.has(`${mark} ${row.id}`) || wanted.has(`${mark} ${row.id}`)))
    mark += '.'
  await recordOrgChange(
    tx,
    by,
    governed,
    { noun: 'position', action: 'update', message: 'Titles are swapped', data: { fields: ['title'] } },
    inTheWay.map((row) => updated(positions, row, { title: `${mark} ${row.id}` })),
  )
  // Reading flushes these changes, so that the next titles are free.
  await findPosition(tx, first.id)
}

/**
 * Orders seats so that a line always points to a row that exists. Iterative, since a document may describe one long
 * chain.
 */
function parentsFirst(seats: readonly ProjectedSeat[]): ProjectedSeat[] {
  const wanted = new Set(seats)
  const placed = new Set<ProjectedSeat>()
  for (const seat of seats) {
    const path: ProjectedSeat[] = []
    for (
      let each: ProjectedSeat | null = seat;
      each !== null && wanted.has(each) && !placed.has(each);
      each = each.reportsTo
    )
      path.push(each)
    for (const each of path.reverse()) placed.add(each)
  }
  return [...placed]
}

const newSeat = (
  { tx }: ImportContext,
  { title, role, doc }: ProjectedSeat,
  organisationId: number,
  roleIds: RoleIds,
): Omit<Position, 'id' | 'reportsToId' | 'escalatesToId'> => ({
  organisationId,
  roleId: roleIds(role),
  title,
  level: doc?.level ?? 1,
  isCrossCutting: doc?.isCrossCutting ?? false,
  createdAt: tx.at,
  updatedAt: tx.at,
})

async function changeSeat(
  context: ImportContext,
  seat: ProjectedSeat,
  idOf: (seat: ProjectedSeat | null) => number | null,
  roleIds: RoleIds,
): Promise<Position> {
  const { tx, current, plan } = context
  const row = seat.row as Position
  const wanted: Partial<Position> = {
    title: seat.title,
    roleId: roleIds(seat.role),
    level: seat.doc?.level ?? row.level,
    reportsToId: idOf(seat.reportsTo),
    escalatesToId: idOf(seat.escalatesTo),
    isCrossCutting: seat.doc?.isCrossCutting ?? row.isCrossCutting,
  }
  const patch = Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => value !== row[field as keyof Position]),
  ) as Partial<Position>
  const changed: Position = { ...row, ...patch, updatedAt: tx.at }
  const changes: Change[] = [updated(positions, row, { ...patch, updatedAt: tx.at })]
  const holder = current.structure?.holders.get(row.id)
  // The holder keeps the seat under the new title; a holder who leaves in the same import keeps the old title in the
  // history.
  const isLeaving = (): boolean => plan.seatings.some((each) => each.seat === seat)
  if (patch.title !== undefined && holder !== undefined && !isLeaving())
    changes.push(updated(assignments, holder.assignment, { positionTitle: seat.title }))
  await recordSeat(context, 'update', row, changes, Object.keys(patch))
  return changed
}

function recordSeat(
  { tx, by, governed }: ImportContext,
  action: 'create' | 'update',
  position: Position,
  changes: readonly Change[],
  fields: readonly string[] = ['escalatesToId'],
): Promise<number> {
  const message =
    action === 'create' ? `seat "${position.title}" created` : `seat "${position.title}" changed: ${fields.join(', ')}`
  const data = { position_id: position.id, ...(action === 'create' ? {} : { fields }) }
  return recordOrgChange(tx, by, governed, { noun: 'position', action, message, data }, changes)
}

async function applyLimits({ tx, by, governed, plan }: ImportContext, seats: Seats): Promise<void> {
  for (const { seat, limit, isNew } of plan.limits) {
    const position = seats.get(seat) as Position
    const row = authorityRow(position, limit)
    const message = `seat "${position.title}": ${limit.kind} ${limit.limit} ${limit.unit}, then ${limit.onBreach}`
    const data = { position_id: position.id }
    await recordOrgChange(tx, by, governed, { noun: 'authority', action: 'set', message, data }, [
      isNew ? inserted(positionAuthorities, row) : updated(positionAuthorities, row, row),
    ])
  }
}

export async function applySeatings(context: ImportContext, seats: Seats, personaIds: PersonaIds): Promise<void> {
  const { tx, by, governed, plan, current } = context
  const stated = plan.seatings.map(({ seat }) => seat.doc?.assignment?.personaAssignmentId)
  const kept = stated.map((id) => (id === undefined || current.assignmentIds.has(id) ? undefined : id))
  const highest = kept.reduce<number>((most, id) => Math.max(most, id ?? 0), 0)
  if (highest > 0) await raiseAssignmentIds(tx, highest)
  const missing = kept.filter((id) => id === undefined).length
  let next = missing === 0 ? 0 : await nextAssignmentIds(tx, missing)
  for (const [index, { seat, persona, displaced }] of plan.seatings.entries()) {
    const position = seats.get(seat) as Position
    const personaId = personaIds(persona)
    const id = kept[index] ?? next++
    const at = seat.doc?.assignment?.assignedAt ?? tx.at
    const changes: Change[] = [inserted(assignments, newAssignment(id, position, personaId, at))]
    if (displaced !== null) changes.unshift(updated(assignments, displaced.assignment, { unassignedAt: tx.at }))
    const message = `persona ${personaId} takes seat "${position.title}"`
    const data = { position_id: position.id, persona_id: personaId, replaced: displaced?.persona.id ?? null }
    await recordOrgChange(tx, by, governed, { noun: 'assignment', action: 'assign', message, data }, changes)
  }
}
