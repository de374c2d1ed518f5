import { createHash } from 'node:crypto'
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { aBrief } from '../../../test/support/work.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { Evidence } from '../../work/evidence/contract.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { Finding } from '../../work/evidence/record.ts'
import { checkEvidence } from './check.ts'

let workspace: Workspace

beforeEach(async () => {
  workspace = await createDirectoryWorkspaces({ root: freshFolder() }).prepare(aBrief())
})

const inside = (path: string): string => join(workspace.path, path)
const put = (path: string, text: string): void => writeFileSync(inside(path), text)

async function looked(evidence: object, clock: Clock = systemClock): Promise<Finding> {
  // The evidence contains no command, so it may be checked everywhere.
  const { findings } = await checkEvidence({
    evidence: [Evidence.parse({ kind: 'schema', path: 'data.json', ...evidence })],
    outputs: [],
    files: workspace,
    workspace,
    clock,
    mayRunCommands: false,
  })
  return findings[0] as Finding
}

const poem = {
  type: 'object',
  required: ['title', 'lines'],
  properties: {
    title: { type: 'string', minLength: 1 },
    lines: { type: 'array', minItems: 3, items: { $ref: '#/$defs/line' } },
  },
  additionalProperties: false,
  $defs: { line: { type: 'string' } },
}

const good = JSON.stringify({ title: 'Rivers', lines: ['a', 'b', 'c'] })

describe('a document', () => {
  it('passes if it matches, with its hash', async () => {
    put('data.json', good)
    expect(await looked({ schema: poem })).toMatchObject({
      kind: 'schema',
      passed: true,
      detail: `data.json fits, ${good.length} bytes`,
      sha256: createHash('sha256').update(good).digest('hex'),
    })
  })

  it('fails with every mismatch', async () => {
    put('data.json', JSON.stringify({ title: '', lines: [1, 'b'], extra: true }))
    const { passed, detail, output } = await looked({ schema: poem })
    expect(passed).toBe(false)
    expect(output.split('\n')).toEqual([
      'the document must NOT have additional properties (extra)',
      '/title must NOT have fewer than 1 characters',
      '/lines must NOT have fewer than 3 items',
      '/lines/0 must be string',
    ])
    expect(detail).toBe('the document must NOT have additional properties (extra)')
  })

  it('may be YAML, as may a schema in the workspace', async () => {
    put('data.yaml', 'title: Rivers\nlines: [a, b, c]\n')
    put('schema.yml', 'type: object\nrequired: [title]\nproperties: {lines: {maxItems: 2}}\n')
    expect(await looked({ path: 'data.yaml', schema: poem })).toMatchObject({ passed: true })
    expect(await looked({ path: 'data.yaml', schemaPath: 'schema.yml' })).toMatchObject({
      passed: false,
      detail: '/lines must NOT have more than 2 items',
    })
  })

  it('is validated by the draft of its schema, including formats', async () => {
    put('data.json', '{"a": [1, "x"], "mail": "nobody"}')
    const seven = 'http://json-schema.org/draft-07/schema#'
    expect(
      await looked({ schema: { $schema: seven, properties: { a: { items: [{ type: 'string' }] } } } }),
    ).toMatchObject({ detail: '/a/0 must be string' })
    const nineteen = 'https://json-schema.org/draft/2019-09/schema'
    expect(
      await looked({ schema: { $schema: nineteen, properties: { a: { unevaluatedItems: false } } } }),
    ).toMatchObject({ passed: false })
    expect(await looked({ schema: { properties: { mail: { format: 'email' } } } })).toMatchObject({
      detail: '/mail must match format "email"',
    })
  })

  it('fails if it cannot be read', async () => {
    put('data.json', '{"title": ')
    expect(await looked({ schema: poem })).toMatchObject({
      passed: false,
      detail: expect.stringMatching(/^data.json cannot be read: /) as string,
    })
    expect(await looked({ path: 'gone.json', schema: poem })).toMatchObject({ passed: false })
    expect(await looked({ schema: undefined, schemaPath: 'gone.json' })).toMatchObject({ passed: false })
    put('huge.json', '')
    truncateSync(inside('huge.json'), 5_000_000)
    expect(await looked({ path: 'huge.json', schema: poem })).toMatchObject({ detail: 'huge.json is larger than 4 MB' })
    symlinkSync('/etc/passwd', inside('link.yaml'))
    expect(await looked({ path: 'link.yaml', schema: {} })).toMatchObject({ passed: false, sha256: null })
  })
})

describe('a schema', () => {
  beforeEach(() => put('data.json', good))

  it('with a misspelt keyword fails and names it', async () => {
    expect(await looked({ schema: { type: 'object', requried: ['title'] } })).toMatchObject({
      passed: false,
      detail: 'the schema cannot be used: strict mode: unknown keyword: "requried"',
    })
  })

  it.each(['https://json-schema.org/draft-07/schema', 'file:///etc/passwd', 'other.json', 'http://127.0.0.1:7717/'])(
    'loads nothing from %s',
    async ($ref) => {
      expect(await looked({ schema: { $ref } })).toMatchObject({
        passed: false,
        detail: expect.stringContaining("can't resolve reference") as string,
      })
    },
  )

  it.each([['true'], ['[]'], ['"text"'], ['{"$async": true}'], ['{"type": 5}'], ['{"$schema": "http://nobody/"}']])(
    'with %s is refused',
    async (text) => {
      put('schema.json', text)
      expect(await looked({ schemaPath: 'schema.json' })).toMatchObject({ passed: false })
    },
  )

  it('runs no code, independent of its property names', async () => {
    const trick = '"];process.exit(9);//\u2028${process.exit(9)}`'
    const names = { [trick]: { const: trick, pattern: '^a' } }
    put('data.json', JSON.stringify({ [trick]: trick }))
    expect(await looked({ schema: { properties: names, required: [trick] } })).toMatchObject({ passed: false })
  })

  it('is aborted if a pattern does not terminate, while other work continues', async () => {
    put('data.json', JSON.stringify({ title: `${'a'.repeat(60)}!` }))
    let ticks = 0
    const ticking = setInterval(() => (ticks += 1), 50)
    const hurried: Clock = { ...systemClock, after: (ms, call) => systemClock.after(ms / 5, call) }
    const found = await looked({ schema: { properties: { title: { pattern: '^(a+)+$' } } } }, hurried)
    clearInterval(ticking)
    expect(found).toMatchObject({ passed: false, detail: 'it took more than 10 s' })
    expect(ticks).toBeGreaterThan(5)
  })

  it('is aborted if it needs too much memory, such as an alias bomb', async () => {
    const bomb = Array.from({ length: 30 }, (_, level) => `a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`)
    bomb[0] = 'a0: &a0 [x, x]'
    put('bomb.yaml', bomb.join('\n'))
    expect(await looked({ path: 'bomb.yaml', schema: {} })).toMatchObject({ passed: false })
  })
})

it('needs either a schema or the path of one, and paths inside the workspace', () => {
  const accepts = (evidence: object) => Evidence.safeParse({ kind: 'schema', path: 'a.json', ...evidence }).success
  expect(accepts({ schema: {} })).toBe(true)
  expect(accepts({ schemaPath: 'b.json' })).toBe(true)
  expect(accepts({})).toBe(false)
  expect(accepts({ schema: {}, schemaPath: 'b.json' })).toBe(false)
  expect(accepts({ schemaPath: '../b.json' })).toBe(false)
  expect(accepts({ schema: {}, path: '/etc/passwd' })).toBe(false)
})
