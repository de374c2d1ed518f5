import { AgencyError } from '../../kernel/errors.ts'
import { fold, shorten, slug } from '../../kernel/text.ts'
import { findCircle, type Seat } from '../chart/lines.ts'
import { isSeeded } from '../personas/kinds.ts'
import { organisationSlug } from '../slugs.ts'
import type { After, PersonaAfter, Present, SeatAfter } from './after.ts'
import type { Fault } from './contract.ts'
import type { DocAssignment, OrgDocument, Place } from './model.ts'
import { fault, guessed } from '../../documents/nodes.ts'

type Say = (message: string, place: Place, subject: string | null, severity?: Fault['severity']) => void

/** Everything wrong with what the organisation would become; the syntax was the parser's. */
export function validateDocument(document: OrgDocument, present: Present, after: After): Fault[] {
  const faults: Fault[] = []
  const say: Say = (message, place, subject, severity = 'error') =>
    void faults.push(fault(severity, shorten(message, 500), place, subject))
  checkOrganisation(document, present, after, say)
  checkDuplicates(document, say)
  checkRoles(after, say)
  checkSeats(after, say)
  checkCircles(after, say)
  for (const persona of after.personas) checkPersona(persona, say)
  return faults
}

function checkOrganisation({ organisation: doc }: OrgDocument, { structure }: Present, after: After, say: Say): void {
  const { name, purpose, organisationId, lead } = doc
  const placeOf = (key: string): Place => doc.places.get(key) ?? doc.place
  if (structure === null)
    for (const key of ['name', 'purpose'] as const)
      if (doc[key] === undefined) say(`a new organisation needs a ${key}`, doc.place, key)
  const slugs = {
    name: name ?? structure?.organisation.name ?? 'x',
    purpose: purpose ?? structure?.organisation.purpose ?? 'x',
    id: organisationId ?? 0,
  }
  try {
    const expected = organisationSlug(slugs.purpose, slugs.name, slugs.id)
    if (doc.slug !== undefined && organisationId !== undefined && doc.slug !== expected)
      say(
        `slug "${doc.slug}" is not imported; it follows from purpose, name and id: ${expected}`,
        placeOf('slug'),
        'slug',
        'warning',
      )
  } catch (error) {
    if (!(error instanceof AgencyError)) throw error
    const key = slug(slugs.name) === '' ? 'name' : 'purpose'
    say(error.message, placeOf(key), key)
  }
  if (typeof lead === 'string' && !after.byAnyTitle.has(lead))
    say(`lead: there is no seat "${lead}"${guessed(lead, after.byTitle.keys())}`, placeOf('lead'), lead)
}

function checkDuplicates({ roles, positions }: OrgDocument, say: Say): void {
  const firstLines = new Map<string, number>()
  const once = (key: string, what: string, place: Place, subject: string): void => {
    const first = firstLines.get(key)
    if (first === undefined) firstLines.set(key, place.line)
    else say(`${what} stands twice; first in line ${first}`, place, subject)
  }
  for (const { title, positionId, assignment, place } of positions) {
    once(`title ${title}`, `the title "${title}"`, place, title)
    if (positionId !== undefined) once(`position ${positionId}`, `position_id ${positionId}`, place, title)
    const id = assignment?.personaAssignmentId
    if (id !== undefined) once(`assignment ${id}`, `persona_assignment_id ${id}`, place, title)
  }
  for (const { name, roleId, place } of roles) {
    once(`role ${fold(name)}`, `the role "${name}"`, place, name)
    if (roleId !== undefined) once(`role_id ${roleId}`, `role_id ${roleId}`, place, name)
  }
}

/** Agency finds these by their names. */
const fixedRoles = ['operator', 'system', 'ar-director']

function checkRoles({ roles }: After, say: Say): void {
  for (const { doc, row, name } of roles)
    if (doc !== null && row !== null && row.name !== name && fixedRoles.includes(fold(row.name)))
      say(`role_id ${row.id} "${row.name}" keeps its name; the document calls it "${name}"`, doc.place, name)
}

function checkSeats({ seats, byTitle, byAnyTitle, roles }: After, say: Say): void {
  // Looking for what was meant takes its time; whoever has more than these wrong has something else wrong.
  let guesses = 20
  const guess = (typed: string, known: Iterable<string>): string => (guesses-- > 0 ? guessed(typed, known) : '')
  for (const seat of seats) {
    const { doc, row, title, role } = seat
    if (doc === null) {
      const twin = byTitle.get(title)
      if (twin !== undefined && twin.doc !== null)
        say(
          `the title "${title}" is that of position_id ${row?.id}, which the document leaves out`,
          twin.doc.place,
          title,
        )
      continue
    }
    if (role === null)
      say(
        doc.role === undefined
          ? `seat "${title}" needs a role`
          : `seat "${title}": there is no role "${doc.role}"${guess(
              doc.role,
              roles.map((each) => each.name),
            )}`,
        doc.place,
        title,
      )
    for (const [key, target] of [
      ['reports_to', doc.reportsTo],
      ['escalates_to', doc.escalatesTo],
    ] as const) {
      if (typeof target !== 'string') continue
      const above = byAnyTitle.get(target)
      const said = `seat "${title}": ${key}`
      if (above === seat) say(`${said} itself`, doc.place, title)
      else if (above === undefined)
        say(
          `${said} "${target}", which is not a seat of this organisation${guess(target, byTitle.keys())}`,
          doc.place,
          title,
        )
      else if (above.title !== target)
        say(`${said} "${target}", which the document itself calls "${above.title}"`, doc.place, title, 'warning')
    }
  }
}

function checkCircles({ seats }: After, say: Say): void {
  const numbers = new Map(seats.map((seat, index) => [seat, index + 1]))
  // A seat above itself has its own fault.
  const above = (seat: SeatAfter, line: SeatAfter | null): number | null =>
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
    // What was there before had none, so the document speaks of one of them.
    const onCircle = seats.find((seat) => seat.doc !== null && circle.includes(seat.title))
    const place = onCircle?.doc?.place ?? { line: 1, column: 1 }
    say(`circular ${name} chain: ${circle.join(' → ')}`, place, onCircle?.title ?? null)
  }
}

function checkPersona({ docs, row, namesakes, role }: PersonaAfter, say: Say): void {
  const first = docs[0] as DocAssignment
  const { place } = first
  const called = row?.slug ?? first.personaSlug ?? first.personaName ?? `persona_id ${first.personaId}`
  if (namesakes.length > 0)
    return say(
      `several personas are called "${first.personaName}": ${namesakes.map((each) => each.slug).join(', ')}; give persona_slug`,
      place,
      called,
    )
  for (const [key, field] of [
    ['persona_name', 'personaName'],
    ['persona_role', 'personaRole'],
    ['persona_status', 'personaStatus'],
    ['persona_slug', 'personaSlug'],
  ] as const) {
    const said = new Set(docs.flatMap((doc) => doc[field] ?? []))
    if (said.size > 1)
      say(`${called} has two values of ${key}: ${[...said].join(', ')}`, docs.at(-1)?.place ?? place, called)
  }
  if (row !== null && isSeeded(row)) return say(`${called} holds no seat: it stands outside the chart`, place, called)
  const status = first.personaStatus ?? row?.status
  if (status === 'archived')
    say(
      `${called} is archived and holds no seat${row === null ? '' : '; persona_status: active revives it'}`,
      place,
      called,
    )
  if (role === null && first.personaRole !== undefined)
    say(`${called}: there is no role "${first.personaRole}"`, place, called)
  else if (role !== null && fold(role.name) === 'system')
    say(`${called}: the role "system" is Agency’s own`, place, called)
  if (row !== null) return
  if (first.personaName === undefined)
    say(`there is no persona ${called}; to make it, give persona_name`, place, called)
  else if (first.personaSlug === undefined && slug(first.personaName) === '')
    say(`persona_name "${first.personaName}" has no letter from a to z and no digit to make a slug of`, place, called)
}
