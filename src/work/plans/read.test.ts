import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { readPlan } from './read.ts'

/** Returns the faults of a text as `line:column message`. */
const faultsOf = (text: string): string[] =>
  readPlan(text).faults.map(({ line, column, message }) => `${line}:${column} ${message}`)

const plan = `goal: Build a shop
runtime: scripted
evidence:
  - kind: artifact
briefs:
  - id: schema
    objective: Design the schema
    evidence:
      - { kind: file, path: schema.sql, min_bytes: 20 }
      - kind: schema
        path: order.json
        schema: { type: object, required: [camelCase, snake_case] }
  - key: api
    title: The API
    objective: |
      Build the API.

      It answers in JSON.
    after: schema
    runtime_options: { someOption: 1 }
    evidence:
      - { kind: http, start: "node server.js {port}", url: "http://127.0.0.1:{port}/", expect: { json: { anyKey: 1 } } }
  - id: 3
    objective: Put it together
    after: [schema, api]
    context:
    token_budget: 100000
idle_minutes: null
`

describe('a plan', () => {
  it('is read with every field of a run', () => {
    const { plan: read, faults } = readPlan(plan)
    expect(faults).toEqual([])
    expect(read).toMatchObject({
      goal: 'Build a shop',
      runtime: 'scripted',
      idleMinutes: null,
      evidence: [{ kind: 'artifact' }],
      briefs: [
        {
          key: 'schema',
          after: [],
          evidence: [
            { kind: 'file', path: 'schema.sql', minBytes: 20 },
            { kind: 'schema', schema: { type: 'object', required: ['camelCase', 'snake_case'] } },
          ],
        },
        {
          key: 'api',
          title: 'The API',
          objective: 'Build the API.\n\nIt answers in JSON.',
          after: ['schema'],
          runtimeOptions: { someOption: 1 },
          evidence: [{ kind: 'http', timeoutSeconds: 30, expect: { status: 200, json: { anyKey: 1 } } }],
        },
        { key: '3', after: ['schema', 'api'], tokenBudget: 100_000 },
      ],
    })
    expect(read?.briefs[2]?.context).toBeUndefined()
  })

  it('may be JSON', () => {
    const { plan: read, faults } = readPlan('{"goal": "A", "briefs": [{"key": "a", "objective": "Do it"}]}')
    expect(faults).toEqual([])
    expect(read?.briefs).toMatchObject([{ key: 'a', objective: 'Do it', after: [] }])
  })

  it('may share values by aliases', () => {
    const briefs = Array.from(
      { length: 500 },
      (_, index) => `  - { id: b${index}, objective: Do it, evidence: *proof }`,
    )
    const text = `evidence: &proof\n  - { kind: command, run: npm test }\nbriefs:\n${briefs.join('\n')}\n`
    const { plan: read, faults } = readPlan(text)
    expect(faults).toEqual([])
    expect(read?.briefs[499]?.evidence).toMatchObject([{ kind: 'command', run: 'npm test', expectExit: 0 }])
  })
})

describe('a fault', () => {
  it.each<[string, string, string]>([
    ['an unknown key', `goals: x\nbriefs: []`, '1:1 the plan has no "goals"; did you mean "goal"?'],
    [
      'an unknown key of a brief',
      plan.replace('title: The API', 'titel: The API'),
      '14:5 brief "api" has no "titel"; did you mean "title"?',
    ],
    [
      'the name of a field in the code',
      plan.replace('token_budget', 'tokenBudget'),
      '27:5 brief "3" has no "tokenBudget"; write "token_budget"',
    ],
    [
      'an unknown key of evidence',
      plan.replace('min_bytes: 20', 'minimum: 20'),
      '9:41 brief "schema": evidence.0 has no "minimum"',
    ],
    [
      'a name of several lines',
      'goal: x\nbriefs:\n  - { id: a, objective: Do it }\n  - { id: "b\\nc", after: [d], objective: Do it }',
      '4:11 brief "b c": key must be lower-c',
    ],
    ['a missing objective', plan.replace('objective: Put it together', ''), '23:5 brief "3": objective is missing'],
    ['a missing key', 'briefs:\n  - objective: Do it\n  - { id: b, objective: Do it }', '2:5 brief 1: key is missing'],
    [
      'a key that cannot be one',
      plan.replace('key: api', 'key: The API'),
      '13:10 brief "The API": key must be lower-case letters, digits and hyphens',
    ],
    [
      'a value of another type',
      plan.replace('token_budget: 100000', 'token_budget: much'),
      '27:19 brief "3": token_budget expected number, received string',
    ],
    [
      'evidence without a kind',
      plan.replace('kind: artifact', 'kind: prayer'),
      '4:11 evidence.0.kind invalid discriminator value',
    ],
    [
      'two names for one brief',
      plan.replace('id: 3', 'id: 3\n    key: three'),
      '23:5 a brief has either an id or a key, not both',
    ],
    ['a brief twice', plan.replace('id: 3', 'id: api'), '23:9 two briefs are called "api"; the other is on line 13'],
    [
      'an unknown brief to wait for',
      plan.replace('[schema, api]', '[schema, apis]'),
      '25:21 brief "3" waits for "apis", which is not in the plan; did you mean "api"?',
    ],
    [
      'a brief that waits for itself',
      plan.replace('after: schema', 'after: api'),
      '19:12 brief "api" waits for itself',
    ],
    [
      'the same name twice',
      plan.replace('[schema, api]', '[api, schema, api]'),
      '25:26 brief "3" names "api" twice in "after"',
    ],
    [
      'a circle',
      plan.replace('id: schema', 'id: schema\n    after: [3]'),
      '7:12 these briefs wait for each other: schema → 3 → schema',
    ],
    ['a key twice', `goal: a\ngoal: b`, '2:1 duplicate key "goal"'],
    ['an empty text', '', '1:1 the plan is empty'],
    ['no briefs', 'goal: Build', '1:1 the plan has no briefs'],
    ['a list', '- a\n- b', '1:1 a plan must be a list of "key: value"'],
    ['broken YAML', 'goal: [a\nbriefs: x', '2:1 '],
    ['a second plan', `${plan}---\n${plan}`, '29:1 a second document begins here'],
    ['an alias of nothing', 'goal: *nobody', '1:7 '],
    ['a circle of aliases', 'evidence: &a [*a]', '1:15 the alias *a is inside its own anchor'],
    ['a zero character', 'goal: "a\\0b"', '1:7 the text contains a character that cannot be stored'],
    ['a number without end', 'token_budget: .inf', '1:15 the value is not a text, number, true, false, list or map'],
    ['a key that is a list', '[a]: b', '1:1 a key must be a plain word'],
  ])('%s', (_, text, expected) => {
    expect(faultsOf(text)[0]).toContain(expected)
  })

  it('does not hide the others', () => {
    const text = plan
      .replace('objective: Design the schema', '')
      .replace('title: The API', 'titel: The API')
      .replace('token_budget: 100000', 'token_budget: -1')
      .replace('[schema, api]', '[schema, apple]')
    expect(faultsOf(text).map((each) => each.replace(/ .*/, ''))).toEqual(['6:5', '14:5', '25:21', '27:19'])
  })

  it('is reported up to the limit of two hundred', () => {
    const briefs = Array.from({ length: 5_000 }, () => '  - { wrong: 1 }').join('\n')
    expect(faultsOf(`briefs:\n${briefs}`).length).toBe(200)
  })

  it('of each circle names its briefs, but not those that only wait for them', () => {
    const brief = (id: string, ...after: string[]) =>
      `  - { id: ${id}, objective: Do it, after: [${after.join(', ')}] }\n`
    const text = `briefs:\n${brief('a', 'b')}${brief('b', 'a')}${brief('c', 'a')}${brief('d', 'e')}${brief('e', 'f')}${brief('f', 'd')}`
    expect(faultsOf(text).map((each) => each.replace(/^\S+ /, ''))).toEqual([
      'these briefs wait for each other: a → b → a',
      'these briefs wait for each other: d → e → f → d',
    ])
  })
})

describe('a malicious plan', () => {
  it('with exponential aliases is refused before they are expanded', () => {
    const levels = Array.from({ length: 40 }, (_, level) =>
      level === 0 ? 'a0: &a0 [x, x]' : `a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`,
    )
    const began = performance.now()
    expect(faultsOf(levels.join('\n'))[0]).toContain('far larger than its text')
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  it('with nested brackets is refused', () => {
    expect(faultsOf(`goal: ${'['.repeat(500)}${']'.repeat(500)}`)[0]).toContain('nested deeper than')
    expect(faultsOf('['.repeat(15_000))[0]).toContain('nested far too deeply')
  })
})

it('with a prototype key gets an unknown-key fault', () => {
  expect(faultsOf('__proto__: { goal: x }\nbriefs: []')[0]).toContain('has no "__proto__"')
  expect(faultsOf('briefs: [{ id: constructor, objective: Do it, after: [toString] }]')[0]).toContain(
    'waits for "toString", which is not in the plan',
  )
})

it('is read or has located faults after any mutation of its text', () => {
  const pieces = fc.constantFrom(
    '\n',
    ' ',
    '  ',
    '- ',
    ': ',
    '[',
    ']',
    '{',
    '}',
    '&a ',
    '*a',
    '"',
    '|',
    '#',
    '!!set ',
    '? ',
    '\t',
    '---\n',
    '\u0000',
    '\ud800',
    'null',
    '1e999',
    '<<: ',
  )
  const edits = fc.array(fc.tuple(fc.nat(plan.length), fc.nat(30), fc.oneof(pieces, fc.string())), { maxLength: 4 })
  fc.assert(
    fc.property(edits, (changes) => {
      let text = plan
      for (const [at, length, piece] of changes) text = text.slice(0, at) + piece + text.slice(at + length)
      const { plan: read, faults } = readPlan(text)
      if (read === null) expect(faults.length).toBeGreaterThan(0)
      const count = text.split('\n').length
      for (const { line, column, message } of faults) {
        expect(line).toBeGreaterThan(0)
        expect(line).toBeLessThanOrEqual(count)
        expect(column).toBeGreaterThan(0)
        expect(message).toMatch(/^[^\n]{3,}$/)
      }
    }),
    { numRuns: 300 },
  )
})
