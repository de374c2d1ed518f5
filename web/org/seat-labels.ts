import type { ChartSeat } from '../../src/org/chart/contract.ts'
import { escalatesElsewhere } from './layout.ts'

export type Titles = ReadonlyMap<number, string>

export const titlesOf = (seats: readonly ChartSeat[]): Titles =>
  new Map(seats.map((seat) => [seat.positionId, seat.title]))

export const titleOf = (titles: Titles, positionId: number | null): string =>
  positionId === null ? 'the operator' : (titles.get(positionId) ?? `seat ${positionId}`)

/** Describes a seat for screen readers: first the text on it, word for word, then its reporting lines. */
export function describeSeat(seat: ChartSeat, titles: Titles): string {
  const written = [
    seat.title,
    seat.holder?.name ?? 'vacant',
    `L${seat.level} ${seat.role}`,
    ...(seat.isLead ? ['lead'] : []),
    ...(seat.isCrossCutting ? ['cross-cutting'] : []),
  ].join(' ')
  const lines = `reports to ${titleOf(titles, seat.reportsToId)}`
  const elsewhere = escalatesElsewhere(seat) ? `, escalates to ${titleOf(titles, seat.escalatesToId)}` : ''
  return `${written}, ${lines}${elsewhere}`
}

/** Reports whether every word of a search occurs in title, holder or role, in any order. */
export function matchesSeat(seat: ChartSeat, text: string): boolean {
  const hay =
    `${seat.title} ${seat.holder === null ? 'vacant' : `${seat.holder.name} ${seat.holder.slug}`} ${seat.role} ${seat.isLead ? 'lead' : ''} ${seat.isCrossCutting ? 'cross-cutting' : ''}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word))
}
