import type { AttemptId } from '../../kernel/ids.ts'
import type { Breach, ResourceUse, Workspace } from '../../workspaces/port.ts'

/**
 * Runs agents. One contract suite (`contract-suite.ts`) covers every implementation; the engine knows only this port.
 */
export interface Runtime {
  readonly name: string
  /** The name of the program that people know it by; without one, `name`. */
  readonly title?: string
  readonly capabilities: RuntimeCapabilities
  /** Reports whether the runtime can run on this machine, and how to install it if not. Calls no model. */
  available(): Promise<{ ok: true; version?: string } | { ok: false; reason: string; install: string }>
  /** The options that a form offers to a person who starts a run; others are for files and requests. */
  readonly fields?: readonly OptionField[]
  /** Rejects options that can never work, before a run is created; the message is shown to the operator. */
  checkOptions(options: Record<string, unknown>): void
  /**
   * Returns the provider whose quota a launch with these options uses, if the options decide it; otherwise it is
   * `capabilities.provider`. Without either, only the agent itself can report a limit: that holds its own run.
   */
  readonly providerOf?: (options: Record<string, unknown>) => string
  /**
   * Reports whether an agent with these options plays a scenario of our own, which starts no program and writes only
   * inside its workspace: it needs no box.
   */
  readonly isBundled?: (options: Record<string, unknown>) => boolean
  /**
   * Lists what these options make an agent start or do that somebody else has written. A runtime whose options name
   * neither programs nor steps has none.
   */
  readonly startsOf?: (options: Record<string, unknown>) => RuntimeStart[]
  /**
   * Returns the whole system prompt of an agent, with every text that the runtime adds: it is stored with the attempt, and
   * `launch` sends it unchanged. A runtime whose agents get no system prompt does not have it.
   */
  readonly systemPromptOf?: (source: SystemPromptSource) => Promise<string>
  /** Resolves once the agent exists (its process is spawned); rejects if it could not be started at all. */
  launch(launch: Launch): Promise<AgentHandle>
}

export interface OptionField {
  /** The name of the option. */
  readonly name: string
  readonly label: string
  /** The option is a list of words, which a person writes as a command line. */
  readonly isCommand?: boolean
  /** No run starts without it. */
  readonly isRequired?: boolean
  /** The only values that work here. */
  readonly choices?: readonly string[]
}

export interface SystemPromptSource {
  /** The agent's persona and the goal of its run; may be empty. */
  readonly text: string
  /**
   * Reads a file of the commit that its run began with, which no agent of the run has written; null if there is none.
   * Instructions for agents are taken from there only.
   */
  readonly readBase: (path: string) => Promise<string | null>
}

export interface RuntimeStart {
  /** The option that names it, and the place in it. */
  readonly where: string
  /** The whole command, program or step. */
  readonly text: string
}

export interface RuntimeCapabilities {
  /** Its agents follow a script and call no model; every screen shows this. */
  readonly simulated: boolean
  /** The provider whose quota it uses. */
  readonly provider?: string
  /** Its agents run in the box if the machine has one. */
  readonly boxed: boolean
  /** Evidence commands may run without a sandbox: only for programs that the operator named. */
  readonly evidenceUnboxed: boolean
  readonly send: boolean
  readonly resume: boolean
  /** Its agents do one thing, whatever their prompt says: they cannot answer a question. */
  readonly fixed?: boolean
  /** Its agents can divide their work among themselves; the option `native_teams` permits it. */
  readonly teams?: boolean
}

export interface Launch {
  /** Committed before the launch; passed as AGENCY_LAUNCH_ID, by which processes are found that outlive the daemon. */
  readonly launchId: AttemptId
  readonly prompt: string
  readonly workspace: Workspace
  readonly options: Record<string, unknown>
  /** AGENCY_TOKEN, AGENCY_SOCKET and so on: everything the agent needs to call Agency. Nothing else is inherited. */
  readonly environment: Record<string, string>
  /** The number of the attempt of its brief, from 1: a scripted agent can act differently the second time. */
  readonly attempt: number
  /** Whether the agent does the work, plans it, or verifies the work of another agent. */
  readonly kind: 'work' | 'plan' | 'verify'
  /** In addition to its task in `prompt`: the result of `systemPromptOf`, without secrets. Missing: it has none. */
  readonly systemPrompt?: string
  /** The operations allowed without approval; without a box, `yolo` falls back to `cautious`. */
  readonly mode?: AgentMode
  /** The session of an earlier attempt to resume, if `capabilities.resume` is true. */
  readonly session?: string | null
  /** Operations that were denied and that the operator has allowed since, as the runtime named them in `Denied.rule`. */
  readonly allowed?: readonly string[]
  /** The JSON Schema for `output` of its report, if its playbook requires one. */
  readonly output?: { readonly name: string; readonly schema: Record<string, unknown> }
  /** The step of the playbook and its inputs, in a playbook that works in steps. */
  readonly step?: LaunchStep
}

export interface LaunchStep {
  readonly phase: string
  /** The key of the brief in its run: `t4:<workstream>:<squad>:<task>`. */
  readonly key: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** The fields that the playbook keeps with its brief, such as its workstream and its files. */
  readonly data: Readonly<Record<string, unknown>>
}

/** yolo: everything; cautious: operations that cannot be undone need approval; plan_only: read, change nothing. */
export type AgentMode = 'yolo' | 'cautious' | 'plan_only'

export interface AgentHandle {
  readonly pid: number | null
  /** The session by which a later attempt can resume this one after an interruption. */
  readonly session?: string | null
  /** Whether it runs in the box. */
  readonly boxed?: boolean
  /** The command that was started, without the box around it. */
  readonly argv?: readonly string[]
  /** The mode that applies, which may differ from the requested one. */
  readonly mode?: AgentMode
  /** All events in order; ends after exactly one `ended`. */
  readonly events: AsyncIterable<RuntimeEvent>
  /** Sends text into a live session; rejects with `unsupported` if `capabilities.send` is false. */
  send(text: string): Promise<void>
  /** Asks the agent to stop and kills it after a grace time. Resolves when it has ended. Safe to call twice. */
  interrupt(): Promise<void>
}

export type RuntimeEvent =
  /** Free text or a line of output, at most 64 KB. */
  | { readonly kind: 'text'; readonly text: string; readonly from?: 'stderr' }
  | { readonly kind: 'tool'; readonly name: string; readonly summary: string }
  | ModelUsage
  /**
   * A report made outside the API, not yet validated. Without `from` it is the runtime's own result: a tool call or the
   * final message of the agent. Programs that the agent starts can print lines and write files too, so that a verdict
   * never comes from there.
   */
  | { readonly kind: 'report'; readonly report: unknown; readonly from?: 'printed' | 'file' }
  | AgentEnded

/** One model call: tokens since the previous call, never a total. */
export interface ModelUsage {
  readonly kind: 'usage'
  /** All input tokens, including those read from or written to a cache. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly model?: string
  readonly provider?: string
  /** The agent says so itself; no runtime of a provider has measured it. */
  readonly claimed?: true
}

export interface AgentEnded {
  readonly kind: 'ended'
  readonly exitCode: number | null
  readonly signal: string | null
  /** One line of explanation, if exit code and signal are not enough. */
  readonly detail?: string
  /** Its provider rejects calls for now: not a failure of the agent, and a retry before then is useless. */
  readonly limited?: Limited
  /** It was killed because it exceeded a limit. */
  readonly breach?: Breach
  readonly used?: ResourceUse
  /** Operations that it attempted and that were denied: the operator is asked about them. */
  readonly denied?: readonly Denied[]
  /** The runtime has seen that the agent made no report: one with its token comes from a program that it ran. */
  readonly madeNoReport?: true
}

export interface Denied {
  /** The name that `Launch.allowed` uses to allow it: a rule in the runtime's own terms. */
  readonly rule: string
  /** One line that describes the operation to the operator. */
  readonly what: string
}

export interface Limited {
  /** The runtime's own provider if missing. */
  readonly provider?: string
  /** The time from now until calls are accepted again; null if the provider did not state it. */
  readonly seconds: number | null
  readonly reason: string
}
