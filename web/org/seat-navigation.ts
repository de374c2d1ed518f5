import type { Placed } from './layout.ts'

export type Direction = 'up' | 'down' | 'left' | 'right'

const vectors: Record<Direction, { x: number; y: number }> = {
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
}

/**
 * Returns the next seat in a direction: the manager above, the first report below, otherwise the nearest seat on that
 * side.
 */
export function seatTowards(seats: readonly Placed[], from: Placed, direction: Direction): Placed | null {
  return lineTowards(seats, from, direction) ?? nearestTowards(seats, from, direction)
}

function lineTowards(seats: readonly Placed[], from: Placed, direction: Direction): Placed | null {
  if (direction === 'down') return seats.find((each) => each.seat.reportsToId === from.seat.positionId) ?? null
  const peers = seats.filter((each) => each.seat.reportsToId === from.seat.reportsToId)
  const at = peers.indexOf(from)
  if (direction === 'up') {
    // In a column the next seat above is a peer; above the first one it is the manager.
    const above = peers[at - 1]
    if (above !== undefined && above.x === from.x && above.y < from.y) return above
    return seats.find((each) => each.seat.positionId === from.seat.reportsToId) ?? null
  }
  const beside = peers[direction === 'left' ? at - 1 : at + 1]
  return beside !== undefined && beside.y === from.y ? beside : null
}

function nearestTowards(seats: readonly Placed[], from: Placed, direction: Direction): Placed | null {
  const vector = vectors[direction]
  let best: Placed | null = null
  let least = Infinity
  for (const seat of seats) {
    const dx = seat.x - from.x
    const dy = seat.y - from.y
    const ahead = dx * vector.x + dy * vector.y
    const aside = Math.abs(dx * vector.y + dy * vector.x)
    // A seat that is mainly beside belongs to another direction; sideways distance counts double.
    if (ahead <= 1 || aside > ahead * 4) continue
    const far = ahead + 2 * aside
    if (far < least) [best, least] = [seat, far]
  }
  return best
}
