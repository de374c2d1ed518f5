import { type Clock, sleep } from '../../../kernel/clock.ts'
import { refusal } from '../../../kernel/errors.ts'
import { createEventQueue } from '../event-queue.ts'
import { outboxReport, readOutbox } from '../outbox.ts'
import { createLineSplitter } from '../output.ts'
import type { AgentHandle, Denied, Launch, Limited, RuntimeEvent } from '../port.ts'
import { createTranscript } from '../transcript.ts'
import { limitedOf, usageOf } from '../usage-lines.ts'
import type { Scenario } from './contract.ts'
import { type Ending, interpret, type ScriptedHost } from './interpret.ts'
import { isAllowed, readAgentLine } from './lines.ts'
import { floodLine, garbageLine } from './hostile-output.ts'

/** Agency's API for an agent without a process: takes the requests that would go over the socket. */
export type AgencyCall = (request: {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly environment: Readonly<Record<string, string>>
}) => Promise<{ readonly status: number; readonly body: unknown }>

/** Plays a scenario without a process and without delay, for simulations and benchmarks. */
export function playInProcess(scenario: Scenario, launch: Launch, clock: Clock, call?: AgencyCall): AgentHandle {
  const queue = createEventQueue()
  const stop = createStop()
  const transcript = createTranscript(queue.push)
  let limited: Limited | null = null
  const limit = (by: Limited) => void (limited = by)
  const denied: Denied[] = []
  const host = createHost({ launch, clock, call, push: queue.push, limit, denied, transcript, stop })
  const gone = interpret(scenario, launch.attempt, host)
    .catch((error: unknown): Ending => {
      if (error === interrupted) return { exitCode: null, signal: 'SIGTERM' }
      return { exitCode: 1, signal: null, detail: error instanceof Error ? error.message : String(error) }
    })
    .then(async (ending) => {
      for (const event of await readOutbox(launch.workspace)) queue.push(event)
      transcript.end()
      const detail = ending.detail ?? transcript.missing()
      queue.push({
        kind: 'ended',
        exitCode: ending.exitCode,
        signal: ending.signal,
        ...(detail === undefined ? {} : { detail }),
        ...(limited === null ? {} : { limited }),
        ...(denied.length === 0 ? {} : { denied }),
      })
    })
  return {
    pid: null,
    events: queue.events,
    send: () => Promise.reject(refusal('unsupported', 'a scripted agent takes no messages while it works')),
    interrupt: () => {
      stop.now()
      return gone
    },
  }
}

const interrupted = new Error('interrupted')

interface Stop {
  now(): void
  /** Throws if a stop was requested. */
  check(): void
  /** Rejects when a stop is requested. */
  readonly requested: () => Promise<never>
}

/** An AbortController would cost more than the rest of a small scenario. */
function createStop(): Stop {
  let isRequested = false
  const waiting: ((why: Error) => void)[] = []
  return {
    now: () => {
      isRequested = true
      for (const reject of waiting.splice(0)) reject(interrupted)
    },
    check: () => {
      if (isRequested) throw interrupted
    },
    requested: () => new Promise((_, reject) => (isRequested ? reject(interrupted) : waiting.push(reject))),
  }
}

interface HostDeps {
  readonly launch: Launch
  readonly clock: Clock
  readonly call: AgencyCall | undefined
  readonly push: (event: RuntimeEvent) => void
  readonly limit: (by: Limited) => void
  readonly denied: Denied[]
  readonly transcript: ReturnType<typeof createTranscript>
  readonly stop: Stop
}

function createHost(deps: HostDeps): ScriptedHost {
  const { launch, clock, call, push, limit, denied, transcript, stop } = deps
  const text = (line: string) => transcript.text(line)
  const request = async (path: string, body: unknown): Promise<void> => {
    const answer = await call?.({ method: 'POST', path, body, environment: launch.environment })
    if (answer !== undefined && answer.status >= 400) text(`refused: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  return {
    say: async (line) => {
      stop.check()
      text(line)
    },
    write: async (path, content) => {
      stop.check()
      await launch.workspace.write(path, content)
    },
    run: async (command) => {
      stop.check()
      const { exitCode, output } = await launch.workspace.run(command, { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 })
      push({ kind: 'tool', name: 'sh', summary: command })
      text(`${output}exit code ${exitCode}`)
    },
    log: async (message) => {
      stop.check()
      if (call === undefined) text(message)
      else await request('/api/events', { kind: 'log', message })
    },
    usage: async (fields) => {
      stop.check()
      const usage = usageOf(fields)
      if (usage !== null) push(usage)
    },
    limited: async (quota) => {
      stop.check()
      limit(limitedOf(quota))
    },
    mayDo: async (operation) => {
      stop.check()
      if (isAllowed(operation.rule, launch.mode, launch.allowed ?? [])) return true
      denied.push(operation)
      text(`not allowed: ${operation.what}`)
      return false
    },
    wait: async (ms) => {
      stop.check()
      await Promise.race([stop.requested(), sleep(clock, ms)])
    },
    tool: async (name, input) => {
      stop.check()
      push({ kind: 'tool', name, summary: JSON.stringify(input) })
    },
    report: async (report, via) => {
      stop.check()
      if (via === 'file') await launch.workspace.write(outboxReport, JSON.stringify(report))
      else if (call !== undefined && via !== 'stdout') await request('/api/attempt/report', report)
      else push({ kind: 'report', report })
    },
    flood: async (megabytes) => {
      stop.check()
      const lines = Math.ceil((megabytes * 1024 * 1024) / (floodLine.length + 1))
      let line = 0
      for (; line < lines && !transcript.isFull(); line += 1) text(floodLine)
      const block = Buffer.from(`${floodLine}\n`.repeat(1_000))
      for (; line < lines; line += 1_000) {
        const count = Math.min(1_000, lines - line)
        transcript.skip(block.subarray(0, count * (floodLine.length + 1)), count)
      }
    },
    garbage: async (lines) => {
      stop.check()
      const splitter = createLineSplitter({
        isSkimming: () => false,
        onSkip: transcript.skip,
        onLine: (line) => {
          const event = readAgentLine(line)
          if (event === null || event.kind === 'text') text(event?.text ?? line)
          else if (event.kind === 'limited') limit(event)
          else push(event)
        },
      })
      for (let line = 0; line < lines; line += 1) splitter.write(Buffer.concat([garbageLine(line), Buffer.from('\n')]))
    },
    spawnChild: async () => text('No child process is left behind: the in-process host starts none.'),
    ignoreSignals: async () => text('The in-process host receives no signals.'),
    hang: () => stop.requested(),
    sha256: async (path) => (await launch.workspace.read(path, 0))?.sha256 ?? null,
    keepToken: async (path) => launch.workspace.write(path, launch.environment['AGENCY_TOKEN'] ?? ''),
    withToken: async ({ path, token }) => {
      const kept = path === undefined ? token : (await launch.workspace.read(path, 10_000))?.text
      const environment = { ...launch.environment, AGENCY_TOKEN: kept ?? '' }
      return createHost({ ...deps, launch: { ...launch, environment } })
    },
  }
}
