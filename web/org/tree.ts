import type { ChartSeat } from '../../src/org/chart/contract.ts'
import type { TreeItem } from '../parts/use-tree.ts'

/** A seat with its reports; the node without a seat is the operator. */
export interface Node {
  readonly seat: ChartSeat | null
  readonly below: Node[]
}

/** Builds the tree of seats; reports are ordered by level, then by time of creation. */
export function treeOf(seats: readonly ChartSeat[]): Node {
  const root: Node = { seat: null, below: [] }
  const nodes = new Map(seats.map((seat) => [seat.positionId, { seat, below: [] } as Node]))
  const reached = new Set<Node>()
  const sorted = seats.toSorted((a, b) => a.level - b.level || a.positionId - b.positionId)
  for (const seat of sorted) {
    const node = nodes.get(seat.positionId) as Node
    const above = seat.reportsToId === null ? root : (nodes.get(seat.reportsToId) ?? root)
    above.below.push(node)
  }
  const reach = (from: Node): void => {
    const waiting = [from]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop())
      for (const below of node.below)
        if (!reached.has(below)) {
          reached.add(below)
          waiting.push(below)
        }
  }
  reach(root)
  // Cycles are rejected when they are created; if there is one, its seats are shown below the operator.
  for (const node of nodes.values()) {
    if (reached.has(node)) continue
    const above = nodes.get(node.seat?.reportsToId ?? 0)
    above?.below.splice(above.below.indexOf(node), 1)
    root.below.push(node)
    reached.add(node)
    reach(node)
  }
  return root
}

/** A seat of level 1 reports to the operator; one that cannot be expanded has no reports. */
export interface Row extends TreeItem {
  readonly seat: ChartSeat
}

/** Returns the rows of the tree from top to bottom, without those below a closed seat. */
export function rowsOf(seats: readonly ChartSeat[], closed: ReadonlySet<number>): Row[] {
  const rows: Row[] = []
  const walk = ({ below }: Node, level: number): void =>
    below.forEach((node, index) => {
      const { seat } = node
      if (seat === null) return
      const expanded = node.below.length === 0 ? null : !closed.has(seat.positionId)
      rows.push({ seat, level, expanded, position: index + 1, siblings: below.length })
      if (expanded === true) walk(node, level + 1)
    })
  walk(treeOf(seats), 1)
  return rows
}

/** Returns the seats above a seat, nearest first; the operator follows after the last. It stops at a cycle. */
export function seatsAbove(
  seats: readonly ChartSeat[],
  positionId: number,
  line: 'reportsToId' | 'escalatesToId',
): ChartSeat[] {
  const byId = new Map(seats.map((seat) => [seat.positionId, seat]))
  const path: ChartSeat[] = []
  const seen = new Set([positionId])
  for (let next = byId.get(positionId)?.[line] ?? null; next !== null && !seen.has(next);) {
    const seat = byId.get(next)
    if (seat === undefined) break
    seen.add(next)
    path.push(seat)
    next = seat[line]
  }
  return path
}
