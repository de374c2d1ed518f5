import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { boxHere } from '../support/box.ts'
import { createTestCli, runToTheEnd, type TestCli } from '../support/cli.ts'

let cli: TestCli
let agents: string

beforeAll(() => {
  cli = createTestCli()
  agents = mkdtempSync(join(tmpdir(), 'agency-agents-'))
})
afterAll(async () => {
  rmSync(agents, { recursive: true })
  await cli.remove()
})

function file(name: string, text: string): string {
  const path = join(cli.home, name)
  writeFileSync(path, text)
  return path
}

/** Writes an agent that commits an order and a server for it; no box shows a file of the installation. */
function agent(): string {
  const path = join(agents, 'agent.sh')
  writeFileSync(
    path,
    `export HOME=/nowhere
echo '{"id": 1}' > order.json
cat > server.mjs <<'END'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
createServer((_, response) => response.end(readFileSync('order.json'))).listen(Number(process.argv[2]), '127.0.0.1')
END
git init --quiet .
git add order.json server.mjs
git -c user.name=A -c user.email=a@example.org commit --quiet --message 'Add the order'
echo '{"status": "done", "summary": "made", "outputs": ["order.json"]}'
`,
  )
  return path
}

const plan = (): string => `goal: A shop
runtime: program
runtime_options: { command: [sh, "${agent()}"] }
briefs:
  - id: order
    objective: Describe an order
    evidence:
      - { kind: schema, path: order.json, schema: { type: object, required: [id] } }
      - { kind: git, clean: true, changed: [order.json], message_matches: "^Add " }
  - id: server
    objective: Serve it
    after: order
    evidence:
      - kind: http
        start: "'${process.execPath}' server.mjs {port}"
        url: http://127.0.0.1:{port}/
        expect: { json: { id: 1 } }
`

interface Inspected {
  status: string
  evidence: { kind: string; passed: boolean; detail: string; sha256: string | null; boxed: boolean }[]
}

describe('a plan on the command line', () => {
  it('is shown level by level, from a file or from standard input, without starting anything', async () => {
    const shown = await cli.text('run', '--plan', file('plan.yaml', plan()), '--preview')
    expect(shown).toBe(`A shop
2 briefs in 2 levels

1  waits for nothing
└ order  Describe an order
    schema of order.json
    git

2  waits for level 1
└ server  Serve it  after order
    GET http://127.0.0.1:{port}/

${join(cli.home, 'plan.yaml')} starts:
  program
    'sh' '${join(agents, 'agent.sh')}'
  brief "server", evidence, server
    '${process.execPath}' server.mjs {port}
`)
    const piped = await cli.feed(plan(), 'run', 'Another shop', '--plan', '-', '--preview')
    expect(piped.out).toMatch(/^Another shop\n2 briefs/)
    expect(await cli.json('runs', '--json')).toMatchObject({ runs: [] })
  })

  it('starts nothing before it is trusted, and asks again after an edit', async () => {
    const path = file('plan.yaml', plan())
    const refused = await cli.run('run', '--plan', path)
    expect(refused.code).toBe(4)
    expect(refused.err).toContain(`'sh' '${join(agents, 'agent.sh')}'`)
    expect(refused.err).toContain(`agency trust ${path}`)
    expect(await cli.text('trust', path, '--preview')).toContain('server.mjs {port}')
    expect(await cli.text('trust', '--list')).toContain('no file is trusted')
    expect(await cli.text('trust', path)).toMatch(/trusted: [0-9a-f]{64}\n$/)
    expect(await cli.text('trust', '--list')).toContain(path)
    file('plan.yaml', plan().replace('server.mjs {port}', 'server.mjs {port}; id'))
    const edited = await cli.run('run', '--plan', path)
    expect(edited.code).toBe(4)
    expect(edited.err).toContain(`+         start: "'${process.execPath}' server.mjs {port}; id"`)
    expect(await cli.text('trust', '--revoke', path)).toContain('no longer trusted')
    expect(await cli.json('runs', '--json')).toMatchObject({ runs: [] })
  })

  it('runs, and evidence of every kind is checked and recorded', async () => {
    const words = ['--plan', file('plan.yaml', plan()), '--readable', agents, '--trust']
    const ended = await runToTheEnd(cli, boxHere.ok, ...words)
    expect(ended, ended.err).toMatchObject({ code: 0 })
    const run = ended.out.trim()
    const { status, evidence } = await cli.json<Inspected>('inspect', run, '--json')
    expect(status).toBe('done')
    expect(evidence.map(({ kind, passed, boxed }) => [kind, passed, boxed])).toEqual([
      ['schema', true, false],
      ['git', true, boxHere.ok],
      ['http', true, boxHere.ok],
    ])
    for (const { sha256 } of evidence) expect(sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(evidence[2]?.detail).toBe('answered 200, 10 bytes')
    const inspection = await cli.text('inspect', run)
    expect(inspection).toContain(
      `✓ GET http://127.0.0.1:{port}/: answered 200, 10 bytes${boxHere.ok ? '\n' : '  (not boxed)'}`,
    )
    expect(inspection).toContain('✓ schema of order.json: order.json fits, 10 bytes\n')
  })

  it('with faults is reported with the line of each fault, and starts nothing', async () => {
    const path = file(
      'wrong.yaml',
      plan().replace('after: order', 'after: orders').replace('objective: Serve', 'aim: Serve'),
    )
    const lines = [
      `${path}:10:5: error: brief "server": objective is missing`,
      `${path}:11:5: error: brief "server" has no "aim"`,
      `${path}:12:12: error: brief "server" waits for "orders", which is not in the plan; did you mean "order"?`,
    ]
    const preview = await cli.run('run', '--plan', path, '--preview')
    expect(preview.code).toBe(1)
    expect(preview.out.trim().split('\n')).toEqual(lines)
    const before = await cli.text('runs', '--json')
    const refused = await cli.run('run', '--plan', path)
    expect(refused.code).toBe(2)
    expect(refused.err.trim().split('\n')).toEqual(lines)
    expect(await cli.text('runs', '--json')).toBe(before)
  })

  it('that cannot be read is reported in one line', async () => {
    expect(await cli.run('run', '--plan', join(cli.home, 'nowhere.yaml'))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: .*nowhere.yaml cannot be read: ENOENT/) as string,
    })
    expect(await cli.feed('', 'run', '--plan', '-')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no plan: standard input is empty') as string,
    })
  })
})
