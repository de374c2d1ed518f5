// @suite process

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'

import { startServer, type TestServer } from '../../test/support/server.ts'
import { freshFolder, freshSqlite, testChainKey } from '../../test/support/store.ts'
import type { Db } from '../db/port.ts'
import { createFeed } from '../events/feed.ts'
import { eventRoutes } from '../events/routes.ts'
import { createEvents } from '../events/service.ts'
import { listStreamEvents } from '../events/store.ts'
import { entryPath } from '../entries.ts'
import { systemClock } from '../kernel/clock.ts'
import { notFound, refusal } from '../kernel/errors.ts'
import { allOperations } from '../operations/all.contract.ts'
import { bind } from '../operations/bind.ts'
import { createAttemptToken } from '../server/credentials.ts'
import { attemptOperations, type Report } from '../work/attempts/contract.ts'

const standing = { runId: 'run_1', briefId: 'brf_1', agentId: 3, personaId: 4, fence: 1, ended: false, newestFence: 1 }
const token = createAttemptToken(testChainKey, 'att_1', 1)
const brief = {
  briefId: 'brf_1',
  runId: 'run_1',
  attemptId: 'att_1',
  attempt: 1,
  objective: 'Write a haiku',
  context: '',
  corrections: [],
  guidance: [],
  inputsSeen: [],
  kind: 'work' as const,
}

async function startDaemon(socket?: string): Promise<{ server: TestServer; db: Db; reports: Report[] }> {
  const { db } = await freshSqlite()
  const reports: Report[] = []
  const events = createEvents({
    db,
    clock: systemClock,
    feed: createFeed({ db }),
    resolveRun: async (_, prefix) => {
      throw notFound('run', prefix)
    },
    hasRunEnded: async () => false,
    checkFence: async () => ({}),
  })
  const routes = [
    ...eventRoutes(events),
    ...bind(attemptOperations, {
      brief: async () => ({
        ...brief,
        evidence: [{ kind: 'command' as const, run: 'test -s poem.txt', expectExit: 0, timeoutSeconds: 5 }],
      }),
      report: async (_, report) => {
        if (report.status === 'blocked') throw refusal('illegal_transition', 'too late', { hint: 'Stop.' })
        reports.push(report)
        return { accepted: true as const, note: 'noted' }
      },
      output: async (_, { attemptId }) => {
        throw notFound('attempt', attemptId)
      },
    }),
  ]
  return {
    server: await startServer({
      db,
      routes,
      attempts: { att_1: standing },
      ...(socket === undefined ? {} : { socket }),
    }),
    db,
    reports,
  }
}

async function connect(socket: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [entryPath('mcp')],
    env: { AGENCY_SOCKET: socket, AGENCY_TOKEN: token },
    stderr: 'inherit',
  })
  onTestFinished(() => client.close())
  await client.connect(transport)
  return client
}

const call = async (
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<{ isError: boolean; text: string }> => {
  const result = await client.callTool({ name, arguments: given })
  const [content] = result.content as { type: string; text: string }[]
  return { isError: result.isError === true, text: content?.text ?? '' }
}

describe('agency mcp', () => {
  it('lists the tools of an attempt, described in the names of the wire', async () => {
    const { server } = await startDaemon()
    const { tools } = await (await connect(server.socket)).listTools()
    expect(tools.map((tool) => tool.name).sort()).toEqual(
      allOperations.flatMap((operation) => operation.tool ?? []).sort(),
    )
    const log = tools.find((tool) => tool.name === 'log')
    expect(log?.inputSchema).toMatchObject({ type: 'object', required: ['message'], additionalProperties: false })
    expect(Object.keys(log?.inputSchema.properties ?? {})).toEqual(['message', 'level'])
    expect(tools.find((tool) => tool.name === 'report')?.description).toContain('Report the end of your attempt')
  })

  it('runs a tool’s operation as the attempt', async () => {
    const { server, db, reports } = await startDaemon()
    const client = await connect(server.socket)
    const read = await call(client, 'brief')
    expect(JSON.parse(read.text)).toMatchObject({
      brief_id: 'brf_1',
      evidence: [{ expect_exit: 0, timeout_seconds: 5 }],
    })
    expect(await call(client, 'log', { message: 'half way' })).toEqual({ isError: false, text: '{"seq":1}' })
    const [event] = await db.read((tx) => listStreamEvents(tx, 'run:run_1', { limit: 10 }))
    expect(event).toMatchObject({ kind: 'log', message: 'half way', by: 'agent:3', attemptId: 'att_1' })
    await call(client, 'report', { status: 'done', summary: 'A haiku', outputs: ['poem.txt'] })
    expect(reports).toEqual([{ status: 'done', summary: 'A haiku', outputs: ['poem.txt'] }])
  })

  it('reports a refusal to the agent with its code, message and hint', async () => {
    const { server, reports } = await startDaemon()
    const client = await connect(server.socket)
    expect(await call(client, 'report', { status: 'blocked', summary: 'x' })).toEqual({
      isError: true,
      text: 'illegal_transition: too late (Stop.)',
    })
    expect(await call(client, 'report', { status: 'finished' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^invalid_input: status: /) as string,
    })
    expect(await call(client, 'nothing')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^not_found: unknown tool "nothing"; available: .*\breport\b/) as string,
    })
    expect(reports).toEqual([])
  })

  it('reports that the daemon cannot be reached', async () => {
    const client = await connect(join(freshFolder(), 'nobody.sock'))
    expect(await call(client, 'brief')).toEqual({
      isError: true,
      text: 'stopping: the daemon cannot be reached (ENOENT)',
    })
  })

  it('requires the token of an attempt and reports a missing one in one line', async () => {
    const child = spawn(process.execPath, [entryPath('mcp')], {
      env: { AGENCY_SOCKET: '/nowhere' },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let out = ''
    let complaint = ''
    child.stdout.on('data', (part: Buffer) => (out += part.toString()))
    child.stderr.on('data', (part: Buffer) => (complaint += part.toString()))
    const [code] = (await once(child, 'close')) as [number]
    expect([code, out]).toEqual([2, ''])
    expect(complaint).toMatch(/^error: AGENCY_TOKEN is not set.*\n$/)
  })

  it('waits for a daemon that is being restarted', async () => {
    const socket = join(freshFolder(), 'agency.sock')
    const client = await connect(socket)
    const answer = call(client, 'brief')
    await startDaemon(socket)
    expect(await answer).toMatchObject({ isError: false })
  })

  it('supports the older protocol too, and writes nothing but protocol', async () => {
    const { server } = await startDaemon()
    const child = spawn(process.execPath, [entryPath('mcp')], {
      env: { AGENCY_SOCKET: server.socket, AGENCY_TOKEN: token },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill())
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const ask = async (id: number, method: string, params: object): Promise<Record<string, unknown>> => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return JSON.parse((await lines.next()).value as string) as Record<string, unknown>
    }
    const clientInfo = { name: 'old', version: '0' }
    const opened = await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    expect(opened).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'agency' } } })
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    const called = await ask(2, 'tools/call', { name: 'log', arguments: { message: 'hello' } })
    expect(called).toMatchObject({ id: 2, result: { content: [{ type: 'text', text: '{"seq":1}' }] } })
    child.stdin.end()
    expect((await lines.next()).done).toBe(true)
  })

  it('ends when its client disconnects', async () => {
    const { server } = await startDaemon()
    const child = spawn(process.execPath, [entryPath('mcp')], {
      env: { AGENCY_SOCKET: server.socket, AGENCY_TOKEN: token },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end()
    expect((await once(child, 'close'))[0]).toBe(0)
  })
})
