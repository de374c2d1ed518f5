import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { eventEndpoints } from '../../../events/endpoints.ts'
import { attemptEndpoints } from '../../../work/attempts/endpoints.ts'
import { readInside, writeInside } from '../../../workspaces/files.ts'
import { outboxReport } from '../outbox.ts'
import { callAgency, callTool, runCli } from './agency.ts'
import type { ScriptedHost } from './interpret.ts'
import { type AgentLine, isAllowed } from './lines.ts'
import { floodLine, garbageLine } from './hostile-output.ts'

/** No scripted agent lives longer, even if nothing ends it. */
const longestHangMs = 3_600_000

/**
 * Plays in the current directory, and calls Agency as any agent would: CLI, MCP, HTTP, files. A confined host runs without
 * a box: it starts nothing, and no name or link leads it out of the directory.
 */
export function createProcessHost(token: string, isConfined: boolean): ScriptedHost {
  const write = isConfined ? writeConfined : writeAnywhere
  const refuseProgram = (): void => {
    if (isConfined) throw new Error('a scenario of our own starts no program')
  }
  const say = (text: string) => printLine({ type: 'text', text })
  const sayRefusal = async (refusal: string | null) => {
    if (refusal !== null) await say(`refused: ${refusal}`)
  }
  return {
    say,
    write,
    run: async (command) => {
      refuseProgram()
      await printLine({ type: 'tool', name: 'sh', summary: command })
      const shell = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit'] })
      const [code, signal] = (await once(shell, 'exit')) as [number | null, string | null]
      // The shell's last line may lack a newline, and the next line of the agent must not be joined to it.
      await print('\n')
      if (code !== 0) await say(`exit code ${code ?? signal}`)
    },
    log: async (message) => sayRefusal(await callAgency(token, eventEndpoints.log, { kind: 'log', message })),
    usage: (usage) => printLine({ type: 'usage', ...usage }),
    limited: (quota) => printLine({ type: 'limited', ...quota }),
    mayDo: async ({ rule, what }) => {
      const allowed = JSON.parse(process.env['AGENCY_ALLOWED'] ?? '[]') as string[]
      if (isAllowed(rule, process.env['AGENCY_MODE'], allowed)) return true
      await printLine({ type: 'denied', rule, what })
      return false
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    tool: async (name, input) => {
      await printLine({ type: 'tool', name, summary: JSON.stringify(input) })
      const answer = await callTool(token, name, input)
      await say(answer)
    },
    report: async (report, via) => {
      if (via === 'stdout') return printLine({ type: 'report', report })
      if (via === 'file') return write(outboxReport, JSON.stringify(report))
      if (via === 'http') return sayRefusal(await callAgency(token, attemptEndpoints.report, report))
      if (via === 'mcp') return say(await callTool(token, 'report', report as Record<string, unknown>))
      return sayRefusal(await runCli(token, reportArguments(report)))
    },
    flood: async (megabytes, oneLine) => {
      const block = `${floodLine}${oneLine ? ' ' : '\n'}`.repeat(64)
      for (let left = megabytes * 1024 * 1024; left > 0; left -= block.length) await print(block)
      await print('\n')
    },
    garbage: async (lines) => {
      for (let line = 0; line < lines; line += 1) await print(Buffer.concat([garbageLine(line), Buffer.from('\n')]))
    },
    spawnChild: async (escape) => {
      refuseProgram()
      const child = spawn('sleep', ['3600'], { stdio: ['ignore', 'inherit', 'inherit'], detached: escape })
      child.unref()
      await say(`left a child behind: ${child.pid}`)
    },
    ignoreSignals: async () => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
    },
    hang: () => new Promise((resolve) => setTimeout(resolve, longestHangMs)),
    sha256: async (path) => {
      if (isConfined) return (await readInside(process.cwd(), path, 0))?.sha256 ?? null
      return readFile(path).then(
        (bytes) => createHash('sha256').update(bytes).digest('hex'),
        () => null,
      )
    },
    keepToken: (path) => write(path, token),
    withToken: async (other) =>
      createProcessHost(
        other.path === undefined ? (other.token ?? '') : await readFile(other.path, 'utf8'),
        isConfined,
      ),
  }
}

export const printLine = (line: AgentLine): Promise<void> => print(`${JSON.stringify(line)}\n`)

/** Resolves when the text has been written, so that a flood waits for its reader. */
const print = (text: string | Buffer): Promise<void> =>
  new Promise((resolve) => process.stdout.write(text, () => resolve()))

const writeConfined = (path: string, text: string): Promise<void> => writeInside(process.cwd(), path, text)

async function writeAnywhere(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

function reportArguments(report: unknown): string[] {
  const {
    status,
    summary,
    outputs = [],
    remaining,
  } = report as Record<'status' | 'summary' | 'remaining', string> & {
    outputs?: string[]
  }
  const left = remaining === undefined ? [] : [`--remaining=${remaining}`]
  return ['report', `--status=${status}`, `--summary=${summary}`, ...outputs.map((path) => `--output=${path}`), ...left]
}
