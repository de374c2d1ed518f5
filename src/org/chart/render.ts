import type { ChartSeat } from './contract.ts'
import { childrenOf, type Seat } from './lines.ts'

interface Drawn extends Seat {
  readonly seat: ChartSeat
}

const drawn = (seats: readonly ChartSeat[]): Drawn[] =>
  seats.map((seat) => ({
    id: seat.positionId,
    title: seat.title,
    level: seat.level,
    reportsToId: seat.reportsToId,
    escalatesToId: seat.escalatesToId,
    seat,
  }))

/** Renders an indented tree: reporting lines, holders, and escalation lines that differ. */
export function renderTree(organisation: { name: string; slug: string }, seats: readonly ChartSeat[]): string {
  const all = drawn(seats)
  const children = childrenOf(all)
  const titles = new Map(all.map((each) => [each.id, each.title]))
  const lines = [`${organisation.name} (${organisation.slug})`]
  // An explicit stack, because a document may describe a chain of thousands of seats.
  const open = placed(children.get(null), '')
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { each, indent, isLast } = next
    lines.push(`${indent}${isLast ? '└─ ' : '├─ '}${describe(each.seat, titles)}`)
    // Beyond a depth that anyone reads, deeper indentation would only make lines longer.
    const below = indent.length > widestIndent ? indent : `${indent}${isLast ? '   ' : '│  '}`
    open.push(...placed(children.get(each.id), below))
  }
  if (seats.length === 0) lines.push('(no seats)')
  return `${lines.join('\n')}\n`
}

const widestIndent = 120

/** Returns the entries for the stack, the first one on top. */
const placed = (below: readonly Drawn[] = [], indent: string): { each: Drawn; indent: string; isLast: boolean }[] =>
  below.map((each, index) => ({ each, indent, isLast: index === below.length - 1 })).reverse()

function describe(seat: ChartSeat, titles: ReadonlyMap<number, string>): string {
  const holder = seat.holder === null ? '[vacant]' : `${seat.holder.name} (${seat.holder.slug})`
  const notes = [
    `L${seat.level}`,
    seat.role,
    ...(seat.isLead ? ['lead'] : []),
    ...(seat.isCrossCutting ? ['cross-cutting'] : []),
  ]
  // An escalation line equal to the reporting line would only be noise.
  const elsewhere =
    seat.escalatesToId === seat.reportsToId
      ? ''
      : `  ⇢ escalates to ${seat.escalatesToId === null ? 'the operator' : (titles.get(seat.escalatesToId) ?? '?')}`
  return `${seat.title} ${holder}  ${notes.join(', ')}${elsewhere}`
}

/** Renders a Mermaid flowchart: solid lines report, dotted lines escalate where that differs. */
export function renderMermaid(seats: readonly ChartSeat[]): string {
  const lines = ['graph TD', '  operator((operator))']
  for (const seat of seats) {
    const holder = seat.holder === null ? 'vacant' : seat.holder.name
    lines.push(`  p${seat.positionId}["${quoted(seat.title)}<br/>${quoted(holder)}"]`)
  }
  for (const seat of seats) {
    const name = `p${seat.positionId}`
    lines.push(`  ${place(seat.reportsToId)} --> ${name}`)
    if (seat.escalatesToId !== seat.reportsToId) lines.push(`  ${name} -. escalates .-> ${place(seat.escalatesToId)}`)
  }
  return `${lines.join('\n')}\n`
}

const place = (positionId: number | null): string => (positionId === null ? 'operator' : `p${positionId}`)

/** Mermaid reads entities inside quotes; a bare quote or angle bracket would end the label. */
const quoted = (text: string): string =>
  text.replace(
    /[&"<>#]/g,
    (sign) => ({ '&': '#amp;', '"': '#quot;', '<': '#lt;', '>': '#gt;', '#': '#35;' })[sign] as string,
  )
