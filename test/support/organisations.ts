import fc from 'fast-check'

import { organisationSettings } from '../../src/org/organisations/contract.ts'
import { Title } from '../../src/org/references.contract.ts'

/** An organisation as in a document, with every key of an export except slug and paths. */
export interface DrawnOrganisation {
  organisation: {
    organisation_id: number
    name: string
    purpose: string
    description: string
    status: string
    lead?: string
    settings?: Record<string, string>
    intent: Record<'optimise_for' | 'protect' | 'never_sacrifice' | 'constraints', string[]>
  }
  roles: { role_id: number; name: string; description: string }[]
  positions: DrawnSeat[]
}

interface DrawnSeat {
  position_id: number
  title: string
  role: string
  level: number
  reports_to: string | null
  escalates_to: string | null
  is_cross_cutting: boolean
  assignment: Record<string, string | number> | null
  authority?: { kind: string; limit: number; unit: string; on_breach: string }[]
}

/** Texts that are hard for YAML parsers and programs. */
const awkward = [
  'null', '~', 'true', 'no', 'on', '007', '1.0', '1e3', '0x1F', '1_000', '.inf', '<<', '=', '-', '---', '...', '2030-01-01',
  '- item', '# comment', 'a: b', 'a:b', 'x #y', '"quoted"', "it's", '`', '@at', '%', '!tag', '&anchor', '*alias', '[list]',
  '{map}', '|', '>', '?', ', ', '\\n', '→', 'Qualität', 'Ærø', '日本語', 'ÇİĞ', 'שלום', '🎉', 'é', 'ﬁ', '𝔘', '¿', 'ß',
] // prettier-ignore

const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...awkward) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
)

/** Generates one line that operations accept as a name. */
const line = (max: number): fc.Arbitrary<string> =>
  fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((words) => words.join(' ').slice(0, max))
    .filter((text) => Title.safeParse(text).success && text.isWellFormed())
    .map((text) => text.trim())

/** Generates a name with at least one character that a slug can contain. */
const name = (max: number): fc.Arbitrary<string> =>
  line(max - 2).map((text) => (/[a-z0-9]/i.test(text) ? text : `${text} x`))

/** Generates several lines with spaces and punctuation in awkward positions. */
const prose = fc
  .array(
    fc.oneof(
      word,
      fc.constantFrom('', ' ', '  ', '\t', '\n', '\n\n', '\n  ', ' \n', '\r\n', '\u0085', '\u2028', '\u00a0'),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.isWellFormed() && !text.includes('\0'))

const item = prose.map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '')

const settings = fc.record(
  {
    governance: fc.constant('enforce'),
    autostart: fc.constant('false'),
    idle_stop_minutes: fc.integer({ min: 0, max: 10_080 }).map(String),
    risk_tolerance: fc.constantFrom('conservative', 'aggressive'),
  },
  { requiredKeys: [] },
)

const authority = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom('spend_per_transaction', 'spend_per_session', 'spend_per_day', 'tokens_per_session'),
    limit: fc.oneof(
      fc.nat(1_000_000_000),
      fc.nat(1_000_000).map((cents) => cents / 100),
    ),
    unit: line(32),
    on_breach: fc.constantFrom('refuse', 'gate', 'hard_stop'),
  }),
  { selector: (limit) => limit.kind, maxLength: 3 },
)

/** Generates an organisation with ids from `first` on, so that many fit into one store. */
export const drawOrganisation = (first: () => number): fc.Arbitrary<DrawnOrganisation> =>
  fc
    .record({
      name: name(100),
      purpose: name(64),
      description: prose,
      status: fc.constantFrom('active', 'dormant', 'archived'),
      settings,
      intent: fc.record({
        optimise_for: fc.array(item, { maxLength: 3 }),
        protect: fc.array(item, { maxLength: 3 }),
        never_sacrifice: fc.array(item, { maxLength: 3 }),
        constraints: fc.array(item, { maxLength: 3 }),
      }),
      roles: fc.uniqueArray(fc.tuple(line(50), prose), {
        selector: ([text]) => text.toLowerCase(),
        minLength: 1,
        maxLength: 3,
      }),
      titles: fc.uniqueArray(line(200), { maxLength: 7 }),
      seats: fc.array(
        fc.record({
          role: fc.nat(),
          level: fc.integer({ min: 1, max: 100 }),
          above: fc.option(fc.nat(), { nil: null }),
          helper: fc.option(fc.nat(), { nil: null }),
          isCrossCutting: fc.boolean(),
          holder: fc.option(
            fc.record({
              persona: fc.nat(2),
              at: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
            }),
            {
              nil: null,
              freq: 1,
            },
          ),
          authority,
        }),
        { minLength: 7, maxLength: 7 },
      ),
      personas: fc.array(
        fc.record({ name: line(100), slug: fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}$/), role: fc.nat() }),
        {
          minLength: 3,
          maxLength: 3,
        },
      ),
      lead: fc.option(fc.nat(), { nil: null }),
    })
    .map((drawn) => assemble(drawn as never, first()))

interface Drawn {
  name: string
  purpose: string
  description: string
  status: string
  settings: Record<string, string>
  intent: DrawnOrganisation['organisation']['intent']
  roles: [name: string, description: string][]
  titles: string[]
  seats: {
    role: number
    level: number
    above: number | null
    helper: number | null
    isCrossCutting: boolean
    holder: { persona: number; at: Date } | null
    authority: NonNullable<DrawnSeat['authority']>
  }[]
  personas: { name: string; slug: string; role: number }[]
  lead: number | null
}

function assemble(drawn: Drawn, first: number): DrawnOrganisation {
  const { titles } = drawn
  // A number in the name keeps roles of different organisations distinct.
  const roles = drawn.roles.map(([text, description], index) => ({
    role_id: first + index,
    name: `${text} ${first + index}`,
    description,
  }))
  const roleName = (choice: number): string => roles[choice % roles.length]?.name ?? ''
  const positions = titles.map((title, index): DrawnSeat => {
    const seat = drawn.seats[index] as Drawn['seats'][number]
    // Managers have smaller indexes and escalation targets larger ones: neither relation has a cycle, but both together
    // may.
    const above = seat.above === null || index === 0 ? null : (titles[seat.above % index] ?? null)
    const later = titles.length - index - 1
    const helper = seat.helper === null || later === 0 ? null : (titles[index + 1 + (seat.helper % later)] ?? null)
    return {
      position_id: first + index,
      title,
      role: roleName(seat.role),
      level: seat.level,
      reports_to: above,
      escalates_to: helper,
      is_cross_cutting: seat.isCrossCutting,
      assignment: seat.holder === null ? null : assignmentOf(drawn, seat.holder, first, index, roleName),
      ...(seat.authority.length === 0
        ? {}
        : { authority: [...seat.authority].sort((a, b) => (a.kind < b.kind ? -1 : 1)) }),
    }
  })
  const seated = new Set(
    positions.flatMap((seat) => [seat.role, ...(seat.assignment === null ? [] : [seat.assignment['persona_role']])]),
  )
  const lead = drawn.lead === null || titles.length === 0 ? undefined : (titles[drawn.lead % titles.length] as string)
  const { name: text, purpose, description, status, intent } = drawn
  const own = Object.fromEntries(
    Object.entries(drawn.settings)
      .filter(([key, value]) => value !== organisationSettings[key as keyof typeof organisationSettings])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  return {
    organisation: {
      organisation_id: first,
      name: text,
      purpose,
      description,
      status,
      ...(lead === undefined ? {} : { lead }),
      ...(Object.keys(own).length === 0 ? {} : { settings: own }),
      intent,
    },
    roles: roles.filter((role) => seated.has(role.name)),
    positions,
  }
}

function assignmentOf(
  { personas }: Drawn,
  { persona, at }: { persona: number; at: Date },
  first: number,
  index: number,
  roleName: (choice: number) => string,
): Record<string, string | number> {
  const drawn = personas[persona] as Drawn['personas'][number]
  const id = first + persona
  return {
    persona_assignment_id: first + index,
    persona_id: id,
    // As after a renaming: the slug does not follow from the name.
    persona_slug: `${drawn.slug}-${id}`,
    persona_name: drawn.name,
    persona_role: roleName(drawn.role),
    persona_status: 'active',
    assigned_at: at.toISOString(),
  }
}
