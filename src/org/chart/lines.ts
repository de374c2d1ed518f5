import { refusal } from '../../kernel/errors.ts'

/** The fields of a seat that the lines of a chart need. */
export interface Seat {
  readonly id: number
  readonly title: string
  readonly level: number
  readonly reportsToId: number | null
  readonly escalatesToId: number | null
}

export type Line = 'reportsToId' | 'escalatesToId'

/**
 * Returns the seats above a seat, nearest first. A circle, which the services refuse, ends the walk instead of looping.
 */
export function walkUp<S extends Seat>(byId: ReadonlyMap<number, S>, from: S, line: Line): S[] {
  const path: S[] = []
  const seen = new Set([from.id])
  for (let next = from[line]; next !== null;) {
    const seat = byId.get(next)
    if (seat === undefined || seen.has(seat.id)) break
    seen.add(seat.id)
    path.push(seat)
    next = seat[line]
  }
  return path
}

/** Returns the titles of one circle along the line, or null. */
export function findCircle(seats: readonly Seat[], line: Line): string[] | null {
  const byId = new Map(seats.map((seat) => [seat.id, seat]))
  const clear = new Set<number>()
  for (const start of seats) {
    const path: Seat[] = []
    const onPath = new Set<number>()
    for (let seat: Seat | undefined = start; seat !== undefined && !clear.has(seat.id);) {
      if (onPath.has(seat.id)) return [...path.slice(path.indexOf(seat)), seat].map((each) => each.title)
      path.push(seat)
      onPath.add(seat.id)
      const above: number | null = seat[line]
      seat = above === null ? undefined : byId.get(above)
    }
    for (const seat of path) clear.add(seat.id)
  }
  return null
}

export function refuseCircles(seats: readonly Seat[]): void {
  for (const [line, name] of [
    ['reportsToId', 'reporting'],
    ['escalatesToId', 'escalation'],
  ] as const) {
    const circle = findCircle(seats, line)
    if (circle !== null)
      throw refusal('illegal_transition', `the ${name} line would form a circle: ${circle.join(' → ')}`, {
        hint: 'A line ends at a seat that reports, or escalates, to the operator.',
      })
  }
}

/** Groups seats by superior, in the order that a person expects: by level, then by age. */
export function childrenOf<S extends Seat>(seats: readonly S[]): Map<number | null, S[]> {
  const known = new Set(seats.map((seat) => seat.id))
  const children = Map.groupBy(seats, (seat) =>
    seat.reportsToId !== null && known.has(seat.reportsToId) ? seat.reportsToId : null,
  )
  for (const list of children.values()) list.sort((a, b) => a.level - b.level || a.id - b.id)
  return children
}
