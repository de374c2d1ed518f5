import type { ChartSeat } from '../../src/org/chart/contract.ts'
import { escalatesElsewhere } from './layout.ts'

export type Titles = ReadonlyMap<number, string>

export const titlesOf = (seats: readonly ChartSeat[]): Titles =>
  new Map(seats.map((seat) => [seat.positionId, seat.title]))

export const titleOf = (titles: Titles, positionId: number | null): string =>
  positionId === null ? 'the operator' : (titles.get(positionId) ?? `seat ${positionId}`)

/** A seat for whoever does not see where it stands. */
export const described = (seat: ChartSeat, titles: Titles): string =>
  [
    seat.title,
    seat.holder === null ? 'vacant' : `held by ${seat.holder.name}`,
    `level ${seat.level}, ${seat.role}`,
    ...(seat.isLead ? ['lead'] : []),
    ...(seat.isCrossCutting ? ['cross-cutting'] : []),
    `reports to ${titleOf(titles, seat.reportsToId)}`,
    ...(escalatesElsewhere(seat) ? [`escalates to ${titleOf(titles, seat.escalatesToId)}`] : []),
  ].join(', ')

/** Every word somewhere in title, holder or role, in any order. */
export function isFound(seat: ChartSeat, text: string): boolean {
  const hay =
    `${seat.title} ${seat.holder === null ? 'vacant' : `${seat.holder.name} ${seat.holder.slug}`} ${seat.role} ${seat.isLead ? 'lead' : ''} ${seat.isCrossCutting ? 'cross-cutting' : ''}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word))
}
