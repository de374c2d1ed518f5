import { nearest } from '../../kernel/nearest.ts'
import { slug } from '../../kernel/text.ts'
import { findCircle, type Seat } from '../chart/lines.ts'
import type { Fault } from './contract.ts'
import type { DocPosition, OrgDocument } from './model.ts'
import { fault } from './reader.ts'

/** What the document may lean on beside itself: the store it is meant for. */
export interface Surroundings {
  roles: ReadonlySet<string>
  /** Of the seats that the organisation has already. */
  titles: ReadonlySet<string>
  /** Whether the organisation is there already; a new one must say more. */
  isNew: boolean
}

/** Everything wrong with the structure itself; the syntax was the parser's. */
export function validateDocument(document: OrgDocument, around: Surroundings): Fault[] {
  return [
    ...organisationFaults(document, around),
    ...duplicateFaults(document),
    ...referenceFaults(document, around),
    ...circleFaults(document),
  ]
}

function organisationFaults({ organisation, positions }: OrgDocument, around: Surroundings): Fault[] {
  const faults: Fault[] = []
  const { place, name, purpose, organisationId } = organisation
  for (const key of ['name', 'purpose'] as const)
    if (around.isNew && organisation[key] === undefined)
      faults.push(fault('error', `a new organisation needs a ${key}`, place, key))
  if (organisation.slug !== undefined && name !== undefined && purpose !== undefined && organisationId !== undefined) {
    const expected = slug(`${purpose} ${name} ${organisationId}`)
    if (organisation.slug !== expected)
      faults.push(
        fault(
          'warning',
          `slug "${organisation.slug}" is not imported; it follows from purpose, name and id`,
          place,
          'slug',
        ),
      )
  }
  if (name !== undefined && slug(name) === '')
    faults.push(fault('error', `"${name}" has no letter or digit to make a slug of`, place, 'name'))
  const { lead } = organisation
  if (typeof lead === 'string' && !around.titles.has(lead) && !positions.some((position) => position.title === lead))
    faults.push(fault('error', `lead: there is no seat "${lead}"`, place, lead))
  return faults
}

function duplicateFaults({ roles, positions }: OrgDocument): Fault[] {
  const faults: Fault[] = []
  const once = <T>(
    seen: Map<T, number>,
    key: T | undefined,
    what: string,
    line: number,
    subject: string,
    column: number,
  ): void => {
    if (key === undefined) return
    const first = seen.get(key)
    if (first === undefined) seen.set(key, line)
    else faults.push(fault('error', `${what} stands twice; first in line ${first}`, { line, column }, subject))
  }
  const titles = new Map<string, number>()
  const positionIds = new Map<number, number>()
  const assignmentIds = new Map<number, number>()
  for (const { title, positionId, assignment, place } of positions) {
    once(titles, title, `the title "${title}"`, place.line, title, place.column)
    once(positionIds, positionId, `position_id ${positionId}`, place.line, title, place.column)
    once(
      assignmentIds,
      assignment?.personaAssignmentId,
      `persona_assignment_id ${assignment?.personaAssignmentId}`,
      place.line,
      title,
      place.column,
    )
  }
  const names = new Map<string, number>()
  const roleIds = new Map<number, number>()
  for (const { name, roleId, place } of roles) {
    once(names, name.toLowerCase(), `the role "${name}"`, place.line, name, place.column)
    once(roleIds, roleId, `role_id ${roleId}`, place.line, name, place.column)
  }
  return faults
}

function referenceFaults({ roles, positions }: OrgDocument, around: Surroundings): Fault[] {
  const faults: Fault[] = []
  const roleNames = new Set([...around.roles, ...roles.map((role) => role.name)])
  const titles = new Set([...around.titles, ...positions.map((position) => position.title)])
  for (const position of positions) {
    const { title, role, place } = position
    if (role === undefined) {
      if (position.positionId === undefined || around.isNew)
        faults.push(fault('error', `seat "${title}" needs a role`, place, title))
    } else if (!roleNames.has(role))
      faults.push(
        fault('error', `seat "${title}": there is no role "${role}"${guessed(role, roleNames)}`, place, title),
      )
    for (const [key, target] of [
      ['reports_to', position.reportsTo],
      ['escalates_to', position.escalatesTo],
    ] as const) {
      if (target === title) faults.push(fault('error', `seat "${title}": ${key} itself`, place, title))
      else if (typeof target === 'string' && !titles.has(target))
        faults.push(
          fault(
            'error',
            `seat "${title}": ${key} "${target}", which is not a seat of this organisation${guessed(target, titles)}`,
            place,
            title,
          ),
        )
    }
  }
  return faults
}

const guessed = (typed: string, known: Iterable<string>): string => {
  const guess = nearest(typed, known)
  return guess === null ? '' : `; did you mean "${guess}"?`
}

function circleFaults({ positions }: OrgDocument): Fault[] {
  const index = new Map(positions.map((position, place) => [position.title, place + 1]))
  const seats = positions.map((position, place): Seat => ({
    id: place + 1,
    title: position.title,
    level: position.level ?? 1,
    reportsToId: above(index, position, position.reportsTo),
    escalatesToId: above(index, position, position.escalatesTo),
  }))
  return (
    [
      ['reportsToId', 'reporting'],
      ['escalatesToId', 'escalation'],
    ] as const
  ).flatMap(([line, name]) => {
    const circle = findCircle(seats, line)
    if (circle === null) return []
    const first = positions.find((position) => position.title === circle[0]) as DocPosition
    return [fault('error', `circular ${name} chain: ${circle.join(' → ')}`, first.place, first.title)]
  })
}

/** A seat above itself has its own fault. */
const above = (
  index: ReadonlyMap<string, number>,
  position: DocPosition,
  title: string | null | undefined,
): number | null => (typeof title !== 'string' || title === position.title ? null : (index.get(title) ?? null))
