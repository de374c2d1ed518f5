import { performance } from 'node:perf_hooks'

import { describe, expect, it } from 'vitest'

import { parseOrgDocument } from './parse.ts'

const faults = (text: string): string[] =>
  parseOrgDocument(text).faults.map(
    ({ severity, line, column, message }) => `${severity === 'warning' ? 'warning ' : ''}${line}:${column} ${message}`,
  )

const head = 'organisation:\n  name: Development\n'

describe('parsing a document', () => {
  it('reads every key', () => {
    const text = `# a comment
organisation:
  organisation_id: 1
  name: Development
  purpose: software-development
  slug: software-development-development-1
  description: |-
    Two
    lines
  status: dormant
  lead: Boss
  settings:
    autostart: false
    idle_stop_minutes: 5
  intent:
    optimise_for: [quality, "speed:  and joy"]
    protect: []
    never_sacrifice: null
    constraints:
      - >-
        one
        line
roles:
  - { role_id: 1, name: architect, description: "" }
positions:
  - position_id: 1
    title: Boss
    role: architect
    level: 1
    reports_to: null
    escalates_to: ~
    is_cross_cutting: true
    assignment:
      persona_assignment_id: 4
      persona_id: 3
      persona_slug: architect-robbo-3
      persona_name: Robbo
      persona_role: architect
      persona_status: active
      persona_type: agent/external
      assigned_at: 2026-02-15T10:00:00+01:00
      skill_file: data/personas/architect-robbo-3/skill.md
      experience_file: data/personas/architect-robbo-3/experience.md
    authority:
      - { kind: spend_per_day, limit: 2.5, unit: EUR, on_breach: gate }
  - title: Other
    role: architect
    assignment: null
`
    const { document, faults: found } = parseOrgDocument(text)
    expect(found).toEqual([])
    expect(document).toMatchObject({
      organisation: {
        organisationId: 1,
        name: 'Development',
        description: 'Two\nlines',
        status: 'dormant',
        lead: 'Boss',
        settings: [
          { key: 'autostart', value: 'false' },
          { key: 'idle_stop_minutes', value: '5' },
        ],
        intent: {
          optimiseFor: ['quality', 'speed: and joy'],
          protect: [],
          neverSacrifice: [],
          constraints: ['one line'],
        },
      },
      roles: [{ roleId: 1, name: 'architect', description: '' }],
      positions: [
        {
          positionId: 1,
          title: 'Boss',
          reportsTo: null,
          escalatesTo: null,
          isCrossCutting: true,
          assignment: {
            personaAssignmentId: 4,
            personaId: 3,
            personaSlug: 'architect-robbo-3',
            personaType: 'agent/external',
            assignedAt: '2026-02-15T09:00:00.000Z',
          },
          authority: [{ kind: 'spend_per_day', limit: 2.5, unit: 'EUR', onBreach: 'gate' }],
        },
        { title: 'Other', assignment: null },
      ],
    })
  })

  it('distinguishes absent values from null', () => {
    const { document } = parseOrgDocument(`${head}positions: [{ title: A, role: x }, { title: B, reports_to: null }]`)
    expect(document?.positions[0]).not.toHaveProperty('reportsTo')
    expect(document?.positions[0]).not.toHaveProperty('assignment')
    expect(document?.positions[1]).toHaveProperty('reportsTo', null)
  })

  it('reads JSON', () => {
    expect(parseOrgDocument('{"organisation": {"name": "A", "purpose": "b"}, "positions": []}')).toMatchObject({
      document: { organisation: { name: 'A', purpose: 'b' }, roles: [], positions: [] },
      faults: [],
    })
  })

  it.each([
    ['007', '007'],
    ['1.0', '1.0'],
    ['true', 'true'],
    ['1e3', '1e3'],
    ['0x1F', '0x1F'],
    ['"  padded "', 'padded'],
    ['Qualität & Café ☕', 'Qualität & Café ☕'],
  ])('reads the name %s as text', (written, name) => {
    expect(parseOrgDocument(`organisation:\n  name: ${written}\n`).document?.organisation.name).toBe(name)
  })
})

describe('faults of a document', () => {
  it.each([
    ['', '1:1 the document is empty'],
    ['# only a comment\n', '1:1 the document is empty'],
    ['just words', '1:1 the document must be a list of "key: value"'],
    ['- a\n- b', '1:1 the document must be a list of "key: value"'],
    ['roles: []', '1:1 the document has no "organisation"'],
    [`${head}  colour: red\n`, '3:3 organisation has no "colour"'],
    [`${head}  stauts: active\n`, '3:3 organisation has no "stauts"; did you mean "status"?'],
    [`${head}position: []\n`, '3:1 the document has no "position"; did you mean "positions"?'],
    [`${head}  name: Twice\n`, '3:3 duplicate key "name" in organisation'],
    [`${head}  status: asleep\n`, '3:11 status must be active, dormant or archived'],
    [`${head}  organisation_id: 0\n`, '3:20 organisation_id must be a positive whole number'],
    [`${head}  organisation_id: 1.5\n`, '3:20 organisation_id must be a positive whole number'],
    [`${head}  settings: { colour: red }\n`, '3:15 settings has no "colour"'],
    [`${head}  settings: { governance: maybe }\n`, '3:27 governance: must be one of advise, enforce, not "maybe"'],
    [`${head}  intent: { protect: [[a]] }\n`, '3:23 protect must be a list of texts of 1 to 2000 characters'],
    [`${head}  intent: { protect: us }\n`, '3:22 protect must be a list'],
    [`${head}roles: [{ name: "a\\u0007b" }]\n`, '3:17 name must be a text of 1 to 64 characters'],
    [`${head}roles: [{ description: x }]\n`, '3:9 a role needs a name'],
    [`${head}roles: [[]]\n`, '3:9 a role must be a list of "key: value"'],
    [`${head}positions: [{ role: x }]\n`, '3:13 a position needs a title'],
    [`${head}positions: [{ title: "  " }]\n`, '3:22 title must be a text of 1 to 200 characters'],
    [`${head}positions: [{ title: A, level: 0 }]\n`, '3:32 level must be a whole number from 1 to 100'],
    [`${head}positions: [{ title: A, is_cross_cutting: 1 }]\n`, '3:43 is_cross_cutting must be true or false'],
    [`${head}positions: [{ title: A, reports_to: [B] }]\n`, '3:37 reports_to must be a title or null'],
    [`${head}positions: [{ title: A, assignment: Robbo }]\n`, '3:37 an assignment must be a list of "key: value"'],
    [
      `${head}positions: [{ title: A, assignment: { persona_slug: ../x } }]\n`,
      '3:53 persona_slug must be lower-case letters, digits and hyphens',
    ],
    [
      `${head}positions: [{ title: A, assignment: { persona_id: 3, assigned_at: yesterday } }]\n`,
      '3:67 assigned_at must be a time such as 2026-02-15T10:00:00Z',
    ],
    [
      `${head}positions: [{ title: A, authority: [{ kind: wishes, limit: 1, unit: EUR, on_breach: gate }] }]\n`,
      expect.stringContaining('3:37 authority: kind'),
    ],
    [
      `${head}positions: [{ title: A, authority: [{ kind: spend_per_day, limit: 1, unit: EUR, on_breach: no }] }]\n`,
      expect.stringContaining('3:37 authority: on_breach'),
    ],
    [`${head}roles: *nobody\n`, expect.stringMatching(/^3:8 .*nobody/)],
  ])('%j', (text, fault) => {
    expect(faults(text)).toContainEqual(fault)
  })

  it('locate broken YAML', () => {
    expect(faults('organisation:\n  name: "open\n')[0]).toMatch(/^[23]:\d+ Missing closing "quote/)
    expect(faults('organisation: {\n  name: a\n')[0]).toMatch(/^\d+:\d+ /)
    expect(faults('organisation:\n\tname: a\n')[0]).toMatch(/^2:1 .*[Tt]ab/)
  })

  it('reject a second document in the same file', () => {
    expect(faults(`${head}---\n${head}`)).toEqual([expect.stringContaining('a file holds one organisation')])
  })

  it('are reported all at once', () => {
    expect(faults('organisation:\n  nam: a\n  status: b\nroles: 3\n')).toHaveLength(3)
  })

  it('are only warnings for runtime state', () => {
    const text = `${head}  active_agents: 3\npositions: [{ title: A, role: x, session_state: idle, context_use: 80 }]\npriority_scores: {}\n`
    const { document, faults: found } = parseOrgDocument(text)
    expect(document?.positions).toHaveLength(1)
    expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'warning: priority_scores is runtime state; ignored',
      'warning: active_agents is runtime state; ignored',
      'warning: session_state is runtime state; ignored',
      'warning: context_use is runtime state; ignored',
    ])
  })
})

describe('a malicious document', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefghij'.split('').map((name, index) => {
      const before = 'abcdefghi'[index]
      return `${name}: &${name} [${Array(10).fill(`*${before}`).join(',')}]`
    }),
    'organisation: { name: A, purpose: b }',
    'positions: *j',
  ].join('\n')

  it.each([
    ['of 20 MB', `organisation:\n  name: ${'x'.repeat(20_000_000)}\n`, 'larger than 4 MB'],
    ['of a million lines', 'a\n'.repeat(1_000_000), 'far more lines'],
    ['of brackets', '['.repeat(1_000_000), 'far more lines'],
  ])('refuses a document %s without parsing it', (_, text, why) => {
    const started = performance.now()
    expect(() => parseOrgDocument(text)).toThrow(why)
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it.each([
    ['aliases that multiply', bomb],
    ['one alias after another', `${head}roles: [&r { name: a }, ${Array(100).fill('*r').join(', ')}]`],
    ['an alias of itself', `organisation: &o\n  name: A\n  intent: *o\n`],
    ['brackets, many but not too many', '['.repeat(40_000)],
    ['one deep block', Array.from({ length: 1_500 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['ten thousand keys', `organisation:\n${Array.from({ length: 10_000 }, (_, i) => `  k${i}: 1\n`).join('')}`],
    ['too many seats', `${head}positions:\n${'  - title: A\n'.repeat(10_001)}`],
  ])('refuses %s quickly', (_, text) => {
    const started = performance.now()
    const { faults: found } = parseOrgDocument(text)
    expect(found.some(({ severity }) => severity === 'error')).toBe(true)
    expect(found.length).toBeLessThanOrEqual(200)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
