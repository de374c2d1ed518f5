import type { Fault } from '../../documents/contract.ts'
import { createFault, didYouMean, firstLine, type SourceLocation } from '../../documents/faults.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { fold, shorten, slug } from '../../kernel/text.ts'
import { findCircle, type Seat } from '../chart/lines.ts'
import { isSeeded } from '../personas/kinds.ts'
import { organisationSlug } from '../slugs.ts'
import type { Projection, ProjectedPersona, CurrentState, ProjectedSeat } from './projection.ts'
import type { DocAssignment, OrgDocument } from './model.ts'

type Report = (message: string, location: SourceLocation, subject: string | null, severity?: Fault['severity']) => void

/** Returns every fault of the organisation that the document would produce; the parser has checked the syntax. */
export function validateDocument(document: OrgDocument, current: CurrentState, projection: Projection): Fault[] {
  const faults: Fault[] = []
  const report: Report = (message, location, subject, severity = 'error') =>
    void faults.push(createFault(shorten(message, 500), location, subject, severity))
  checkOrganisation(document, current, projection, report)
  checkDuplicates(document, report)
  checkRoles(projection, report)
  checkSeats(projection, report)
  checkCircles(projection, report)
  for (const persona of projection.personas) checkPersona(persona, report)
  return faults
}

function checkOrganisation(
  { organisation: doc }: OrgDocument,
  { structure }: CurrentState,
  projection: Projection,
  report: Report,
): void {
  const { name, purpose, organisationId, lead } = doc
  const locationOf = (key: string): SourceLocation => doc.locations.get(key) ?? doc.location
  if (structure === null)
    for (const key of ['name', 'purpose'] as const)
      if (doc[key] === undefined) report(`a new organisation needs a ${key}`, doc.location, key)
  const slugs = {
    name: name ?? structure?.organisation.name ?? 'x',
    purpose: purpose ?? structure?.organisation.purpose ?? 'x',
    id: organisationId ?? 0,
  }
  try {
    const expected = organisationSlug(slugs.purpose, slugs.name, slugs.id)
    if (doc.slug !== undefined && organisationId !== undefined && doc.slug !== expected)
      report(
        `slug "${doc.slug}" is not imported; it follows from purpose, name and id: ${expected}`,
        locationOf('slug'),
        'slug',
        'warning',
      )
  } catch (error) {
    if (!(error instanceof AgencyError)) throw error
    const key = slug(slugs.name) === '' ? 'name' : 'purpose'
    report(error.message, locationOf(key), key)
  }
  if (typeof lead === 'string' && !projection.byAnyTitle.has(lead))
    report(`lead: there is no seat "${lead}"${didYouMean(lead, projection.byTitle.keys())}`, locationOf('lead'), lead)
}

function checkDuplicates({ roles, positions }: OrgDocument, report: Report): void {
  const firstLines = new Map<string, number>()
  const once = (key: string, label: string, location: SourceLocation, subject: string): void => {
    const first = firstLines.get(key)
    if (first === undefined) firstLines.set(key, location.line)
    else report(`${label} appears twice; first on line ${first}`, location, subject)
  }
  for (const { title, positionId, assignment, location } of positions) {
    once(`title ${title}`, `the title "${title}"`, location, title)
    if (positionId !== undefined) once(`position ${positionId}`, `position_id ${positionId}`, location, title)
    const id = assignment?.personaAssignmentId
    if (id !== undefined) once(`assignment ${id}`, `persona_assignment_id ${id}`, location, title)
  }
  for (const { name, roleId, location } of roles) {
    once(`role ${fold(name)}`, `the role "${name}"`, location, name)
    if (roleId !== undefined) once(`role_id ${roleId}`, `role_id ${roleId}`, location, name)
  }
}

/** Roles that Agency looks up by name. */
const fixedRoles = ['operator', 'system', 'ar-director']

function checkRoles({ roles }: Projection, report: Report): void {
  for (const { doc, row, name } of roles)
    if (doc !== null && row !== null && row.name !== name && fixedRoles.includes(fold(row.name)))
      report(`role_id ${row.id} "${row.name}" cannot be renamed; the document calls it "${name}"`, doc.location, name)
}

function checkSeats({ seats, byTitle, byAnyTitle, roles }: Projection, report: Report): void {
  // A suggestion compares with every known name, which is slow; a document with more than 20 unknown names has another
  // problem.
  let guesses = 20
  const guess = (typed: string, known: Iterable<string>): string => (guesses-- > 0 ? didYouMean(typed, known) : '')
  for (const seat of seats) {
    const { doc, row, title, role } = seat
    if (doc === null) {
      const twin = byTitle.get(title)
      if (twin !== undefined && twin.doc !== null)
        report(
          `the title "${title}" belongs to position_id ${row?.id}, which is not in the document`,
          twin.doc.location,
          title,
        )
      continue
    }
    if (role === null)
      report(
        doc.role === undefined
          ? `seat "${title}" needs a role`
          : `seat "${title}": there is no role "${doc.role}"${guess(
              doc.role,
              roles.map((each) => each.name),
            )}`,
        doc.location,
        title,
      )
    for (const [key, target] of [
      ['reports_to', doc.reportsTo],
      ['escalates_to', doc.escalatesTo],
    ] as const) {
      if (typeof target !== 'string') continue
      const above = byAnyTitle.get(target)
      const subject = `seat "${title}": ${key}`
      if (above === seat) report(`${subject} itself`, doc.location, title)
      else if (above === undefined)
        report(
          `${subject} "${target}", which is not a seat of this organisation${guess(target, byTitle.keys())}`,
          doc.location,
          title,
        )
      else if (above.title !== target)
        report(
          `${subject} "${target}", which the document itself calls "${above.title}"`,
          doc.location,
          title,
          'warning',
        )
    }
  }
}

function checkCircles({ seats }: Projection, report: Report): void {
  const numbers = new Map(seats.map((seat, index) => [seat, index + 1]))
  // A seat that reports to itself has a fault of its own.
  const above = (seat: ProjectedSeat, line: ProjectedSeat | null): number | null =>
    line === null || line === seat ? null : (numbers.get(line) ?? null)
  const drawn = seats.map((seat, index): Seat => ({
    id: index + 1,
    title: seat.title,
    level: 1,
    reportsToId: above(seat, seat.reportsTo),
    escalatesToId: above(seat, seat.escalatesTo),
  }))
  for (const [line, name] of [
    ['reportsToId', 'reporting'],
    ['escalatesToId', 'escalation'],
  ] as const) {
    const circle = findCircle(drawn, line)
    if (circle === null) continue
    // The stored structure has no circle, so the document describes at least one seat of this one.
    const onCircle = seats.find((seat) => seat.doc !== null && circle.includes(seat.title))
    const location = onCircle?.doc?.location ?? firstLine
    report(`circular ${name} chain: ${circle.join(' → ')}`, location, onCircle?.title ?? null)
  }
}

function checkPersona({ docs, row, namesakes, role }: ProjectedPersona, report: Report): void {
  const first = docs[0] as DocAssignment
  const { location } = first
  const called = row?.slug ?? first.personaSlug ?? first.personaName ?? `persona_id ${first.personaId}`
  if (namesakes.length > 0)
    return report(
      `several personas are called "${first.personaName}": ${namesakes.map((each) => each.slug).join(', ')}; give persona_slug`,
      location,
      called,
    )
  for (const [key, field] of [
    ['persona_name', 'personaName'],
    ['persona_role', 'personaRole'],
    ['persona_status', 'personaStatus'],
    ['persona_slug', 'personaSlug'],
  ] as const) {
    const values = new Set(docs.flatMap((doc) => doc[field] ?? []))
    if (values.size > 1)
      report(`${called} has two values of ${key}: ${[...values].join(', ')}`, docs.at(-1)?.location ?? location, called)
  }
  if (row !== null && isSeeded(row))
    return report(`${called} cannot hold a seat: it is not part of the chart`, location, called)
  const status = first.personaStatus ?? row?.status
  if (status === 'archived')
    report(
      `${called} is archived and cannot hold a seat${row === null ? '' : '; set persona_status: active to reactivate it'}`,
      location,
      called,
    )
  if (role === null && first.personaRole !== undefined)
    report(`${called}: there is no role "${first.personaRole}"`, location, called)
  else if (role !== null && fold(role.name) === 'system')
    report(`${called}: the role "system" is reserved for Agency`, location, called)
  if (row !== null) return
  if (first.personaName === undefined)
    report(`there is no persona ${called}; give persona_name to create it`, location, called)
  else if (first.personaSlug === undefined && slug(first.personaName) === '')
    report(
      `persona_name "${first.personaName}" has no letter from a to z and no digit, so no slug can be made`,
      location,
      called,
    )
}
