import { type Change, deleted, updated } from '../../events/change.ts'
import { refusal } from '../../kernel/errors.ts'
import { type Assignment, assignments } from '../assignments/store.ts'
import { organisations } from '../organisations/store.ts'
import { positionView, type Structure } from '../structure.ts'
import type { Authority, Removal } from './contract.ts'
import { type Position, type PositionAuthority, positionAuthorities, positions } from './store.ts'

export interface RemovalOptions {
  reparent: boolean
  unassign: boolean
  force: boolean
}

/** Lists everything that depends on a seat, before it is removed. */
export function planRemoval(structure: Structure, position: Position): Omit<Removal, 'removed'> {
  const titles = (line: 'reportsToId' | 'escalatesToId'): string[] =>
    structure.positions.filter((seat) => seat[line] === position.id).map((seat) => seat.title)
  return {
    position: positionView(structure, position),
    directReports: titles('reportsToId'),
    escalatingHere: titles('escalatesToId'),
    holder: structure.holders.get(position.id)?.persona.slug ?? null,
    isLead: structure.organisation.leadPositionId === position.id,
  }
}

/** Each loss needs its own flag, and the refusal names that flag. */
export function refuseRemoval(plan: Omit<Removal, 'removed'>, options: RemovalOptions): void {
  const { title, reportsTo } = plan.position
  if (plan.directReports.length > 0 && !options.reparent)
    throw refusal(
      'conflict',
      `seat "${title}" has ${plan.directReports.length} direct reports; use --reparent to move them to ${reportsTo ?? 'the operator'}`,
      {
        data: { flag: '--reparent', direct_reports: plan.directReports },
      },
    )
  if (plan.holder !== null && !options.unassign)
    throw refusal('conflict', `seat "${title}" is held by ${plan.holder}; use --unassign to empty it first`, {
      data: { flag: '--unassign', holder: plan.holder },
    })
  if (plan.isLead && !options.force)
    throw refusal('conflict', `seat "${title}" is the lead of its organisation; use --force to leave it without one`, {
      data: { flag: '--force' },
    })
}

/** Lines to this seat move to its parent; the history keeps its holders; no foreign key does any of this silently. */
export function removalChanges(
  structure: Structure,
  position: Position,
  history: readonly Assignment[],
  at: string,
): Change[] {
  const changes: Change[] = []
  for (const seat of structure.positions) {
    const patch: Partial<Position> = {
      ...(seat.reportsToId === position.id ? { reportsToId: position.reportsToId } : {}),
      // The parent may be the very seat that escalated here, and no seat escalates to itself.
      ...(seat.escalatesToId === position.id
        ? { escalatesToId: position.escalatesToId === seat.id ? null : position.escalatesToId }
        : {}),
    }
    if (Object.keys(patch).length > 0) changes.push(updated(positions, seat, { ...patch, updatedAt: at }))
  }
  for (const assignment of history)
    changes.push(
      updated(assignments, assignment, {
        positionId: null,
        ...(assignment.unassignedAt === null ? { unassignedAt: at } : {}),
      }),
    )
  for (const limit of structure.authorities.get(position.id) ?? [])
    changes.push(deleted(positionAuthorities, authorityRow(position, limit)))
  if (structure.organisation.leadPositionId === position.id)
    changes.push(updated(organisations, structure.organisation, { leadPositionId: null, updatedAt: at }))
  changes.push(deleted(positions, position))
  return changes
}

export const authorityRow = (position: Position, limit: Authority): PositionAuthority => ({
  organisationId: position.organisationId,
  positionId: position.id,
  kind: limit.kind,
  limitAmount: limit.limit,
  unit: limit.unit,
  onBreach: limit.onBreach,
})
