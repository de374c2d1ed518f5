import { type Clock, systemClock } from '../../../kernel/clock.ts'
import { refusal } from '../../../kernel/errors.ts'
import { shorten } from '../../../kernel/text.ts'
import { rememberSecrets, withoutKnownSecrets } from '../../../secrets/redact.ts'
import { violationText } from '../../../workspaces/breach.ts'
import type { ResourceUse, Workspace } from '../../../workspaces/port.ts'
import { type EnvironmentSource, isSetIn } from '../environment.ts'
import { createEventQueue } from '../event-queue.ts'
import { outboxReport, readOutbox } from '../outbox.ts'
import { createTranscript } from '../transcript.ts'
import type { AgentHandle, AgentMode, Denied, Launch, Runtime, RuntimeEvent } from '../port.ts'
import type { ProviderSettings } from './contract.ts'
import { converse, type Ending, type RetryPolicy } from './loop.ts'
import { optionsOf, providerFor } from './options.ts'
import { isUsable, type Provider, providersOf } from './providers.ts'
import { offeredReport } from './report.ts'
import { agencyTools } from './tools/agency.ts'
import { commandTool } from './tools/command.ts'
import { readingTools, writingTool } from './tools/files.ts'
import type { Tool } from './tools/tool.ts'

export interface LlmRuntime {
  readonly providers: Readonly<Record<string, ProviderSettings>>
  /** The environment in which the providers' keys are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly environmentOf?: EnvironmentSource
  readonly allowUnsandboxedYolo?: boolean
  /** The mode of a launch that names none. */
  readonly defaultMode?: AgentMode
  readonly clock?: Clock
  readonly retries?: Partial<RetryPolicy>
}

const defaultRetries: RetryPolicy = { backoffMs: [1_000, 5_000], silenceMs: 300_000 }

/** Runs a model with tools in a loop: the only programs started are the commands of the model, and those run in the box. */
export function createLlmRuntime({
  providers: configured,
  environment,
  environmentOf = 'daemon',
  allowUnsandboxedYolo = false,
  defaultMode = 'yolo',
  clock = systemClock,
  retries = {},
}: LlmRuntime): Runtime {
  const providers = providersOf(configured, environment)
  rememberSecrets([...providers.values()].flatMap(({ key }) => key ?? []))
  const chosen = (options: Record<string, unknown>) => {
    const parsed = optionsOf(options, providers)
    return { options: parsed, provider: providerFor(parsed, providers, environmentOf) }
  }
  return {
    name: 'llm',
    title: 'Model with Agency’s tools',
    capabilities: { simulated: false, boxed: true, evidenceUnboxed: false, send: false, resume: false },
    available: async () =>
      [...providers.values()].some(isUsable) ? { ok: true } : noUsableProvider(providers, environmentOf),
    fields: [
      {
        name: 'provider',
        label: 'Provider',
        isRequired: true,
        choices: [...providers.values()].filter(isUsable).map(({ name }) => name),
      },
      { name: 'model', label: 'Model', isRequired: true },
    ],
    checkOptions: (options) => void chosen(options),
    providerOf: ({ provider }) => (typeof provider === 'string' && providers.has(provider) ? provider : 'llm'),
    systemPromptOf: async ({ text }) => text,
    launch: async (launch) => {
      const { options, provider } = chosen(launch.options)
      const mode = modeOf(launch.mode ?? defaultMode, launch.workspace, allowUnsandboxedYolo)
      const queue = createEventQueue()
      const stop = new AbortController()
      const pushRedacted = (event: RuntimeEvent) => queue.push(withoutSecrets(event))
      const transcript = createTranscript(pushRedacted)
      if (mode !== (launch.mode ?? defaultMode)) transcript.text('yolo → cautious: no box is available here')
      const commandLog = createCommandLog()
      const tools = toolsOf(launch, mode, commandLog)
      const lines = createLines(transcript.text)
      const play = async (): Promise<Ending> => {
        const { createModel } = await import('./model.ts')
        return converse({
          launch,
          model: createModel(provider, options),
          modelName: options.model,
          provider,
          tools,
          report: offeredReport(launch),
          say: lines.add,
          endLine: lines.end,
          remark: (line) => transcript.text(line, 0, 'stderr'),
          push: pushRedacted,
          // A verdict does not count as a file.
          hasOutboxReport: async () =>
            launch.kind !== 'verify' && (await launch.workspace.read(outboxReport, 1)) !== null,
          signal: stop.signal,
          maxSteps: options.maxSteps,
          clock,
          retries: { ...defaultRetries, ...retries },
        })
      }
      const gone = play()
        .catch((error: unknown): Ending => {
          if (stop.signal.aborted) return { exitCode: null, signal: 'SIGTERM' }
          const why = error instanceof Error ? error.message : String(error)
          return {
            exitCode: null,
            signal: null,
            detail: `the agent loop failed: ${shorten(why.replace(/\s+/g, ' '), 300)}`,
          }
        })
        .then(async (ending) => {
          for (const event of await readOutbox(launch.workspace).catch(() => [])) pushRedacted(event)
          transcript.end()
          pushRedacted(endedOf(ending, commandLog, transcript.missing()))
        })
      return handleOf(launch, mode, queue.events, () => {
        stop.abort()
        return gone
      })
    },
  }
}

const handleOf = (
  { workspace }: Launch,
  mode: AgentMode,
  events: AgentHandle['events'],
  interrupt: AgentHandle['interrupt'],
): AgentHandle => ({
  pid: null,
  boxed: workspace.boxed,
  mode,
  events,
  send: () => Promise.reject(refusal('unsupported', 'this agent takes no messages while it works')),
  interrupt,
})

function noUsableProvider(providers: ReadonlyMap<string, Provider>, source: EnvironmentSource) {
  const names = [...providers.values()].flatMap(({ keyName }) => keyName ?? [])
  return {
    ok: false as const,
    reason: `no model is available: none of ${names.join(', ')} ${isSetIn(source)}, and no provider without a key is configured`,
    install: `agency down; ${names[0] ?? 'ANTHROPIC_API_KEY'}=… agency up, or configure a server under llm.providers in config.yaml`,
  }
}

const modeOf = (mode: AgentMode, { boxed }: Workspace, allowUnsandboxedYolo: boolean): AgentMode =>
  mode === 'yolo' && !boxed && !allowUnsandboxedYolo ? 'cautious' : mode

/** Collects denied operations and resource usage for the `ended` event. */
function createCommandLog() {
  const denied = new Map<string, Denied>()
  let used: ResourceUse | null = null
  return {
    deny: (operation: Denied) => void denied.set(operation.rule, operation),
    use: (more: ResourceUse) => void (used = used === null ? more : most(used, more)),
    denied: () => [...denied.values()],
    used: () => used,
  }
}

function most(one: ResourceUse, other: ResourceUse): ResourceUse {
  const violations = [...new Set([...(one.violations ?? []), ...(other.violations ?? [])])]
  return {
    memoryMb: Math.max(one.memoryMb, other.memoryMb),
    processes: Math.max(one.processes, other.processes),
    diskMb: Math.max(one.diskMb, other.diskMb),
    ...(violations.length === 0 ? {} : { violations }),
  }
}

type CommandLog = ReturnType<typeof createCommandLog>

function toolsOf(launch: Launch, mode: AgentMode, commandLog: CommandLog): Tool[] {
  const { workspace, environment, allowed = [] } = launch
  const reading = [...readingTools(workspace), ...agencyTools(environment)]
  if (mode === 'plan_only') return reading
  const commands = {
    workspace,
    allowed,
    isCautious: mode === 'cautious',
    denied: commandLog.deny,
    used: commandLog.use,
  }
  return [...reading, writingTool(workspace), commandTool(commands)]
}

function endedOf(ending: Ending, commandLog: CommandLog, missing: string | undefined): RuntimeEvent {
  const [denied, used] = [commandLog.denied(), commandLog.used()]
  // A policy violation takes precedence over every other explanation.
  const violations = used?.violations === undefined ? undefined : violationText(used.violations)
  const detail = violations ?? ending.detail ?? missing
  return {
    kind: 'ended',
    ...ending,
    ...(detail === undefined ? {} : { detail }),
    ...(denied.length === 0 ? {} : { denied }),
    ...(used === null ? {} : { used }),
  }
}

/**
 * Joins pieces of text into lines; an overlong line is passed on in parts. Blank lines at the edges of an answer say
 * nothing: only those between two lines are passed on.
 */
function createLines(line: (text: string) => void) {
  let rest = ''
  let hasBegun = false
  let blank = 0
  const pass = (text: string): void => {
    if (text.trim() === '') {
      blank += hasBegun ? 1 : 0
      return
    }
    for (; blank > 0; blank--) line('')
    hasBegun = true
    line(text)
  }
  return {
    add: (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const each of lines) pass(each)
      if (rest.length < maxLine) return
      pass(rest)
      rest = ''
    },
    end: () => {
      pass(rest)
      rest = ''
      hasBegun = false
      blank = 0
    },
  }
}
const maxLine = 16 * 1024

function withoutSecrets(event: RuntimeEvent): RuntimeEvent {
  if (event.kind === 'text') return { ...event, text: withoutKnownSecrets(event.text) }
  if (event.kind === 'tool') return { ...event, summary: withoutKnownSecrets(event.summary) }
  if (event.kind === 'ended' && event.detail !== undefined)
    return { ...event, detail: withoutKnownSecrets(event.detail) }
  return event
}
