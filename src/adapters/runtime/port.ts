import type { AttemptId } from '../../kernel/ids.ts'
import type { Breach, ResourceUse, Workspace } from '../../workspaces/port.ts'

/**
 * Runs agents. One contract suite (`contract-suite.ts`) holds for every implementation; the engine knows nothing else.
 */
export interface Runtime {
  readonly name: string
  readonly capabilities: RuntimeCapabilities
  /** Whether it can run here, and what to install if not. */
  available(): Promise<{ ok: true } | { ok: false; reason: string; install: string }>
  /** Refuses options that can never work, before a run is made of them; the message goes to the operator. */
  checkOptions(options: Record<string, unknown>): void
  /** Whose quota a launch with these options uses, where they decide; else `capabilities.provider`, or its own name. */
  readonly providerOf?: (options: Record<string, unknown>) => string
  /** Resolves once the agent exists (a process is spawned); rejects if it could not be started at all. */
  launch(launch: Launch): Promise<AgentHandle>
}

export interface RuntimeCapabilities {
  /** Its agents are played, not thought; every screen says so. */
  readonly simulated: boolean
  /** Whose quota it uses; without one, its own name. */
  readonly provider?: string
  /** Its agents are put into the box, where there is one. */
  readonly boxed: boolean
  /** Evidence commands may run without a sandbox: only for programs that the operator named herself. */
  readonly evidenceUnboxed: boolean
  readonly send: boolean
  readonly resume: boolean
  /** Its agents can divide their work among themselves; the option `native_teams` says whether they may. */
  readonly teams?: boolean
}

export interface Launch {
  /** Committed before the launch; handed on as AGENCY_LAUNCH_ID, by which a survivor of our death is found. */
  readonly launchId: AttemptId
  readonly prompt: string
  readonly workspace: Workspace
  readonly options: Record<string, unknown>
  /** AGENCY_TOKEN, AGENCY_SOCKET and the like: everything the agent needs to talk to us. Nothing else is inherited. */
  readonly environment: Record<string, string>
  /** Which attempt of its brief this is, from 1: a scripted agent can act differently the second time. */
  readonly attempt: number
  /** Whether it is to do something, to plan it, or to judge what another has done. */
  readonly kind: 'work' | 'plan' | 'verify'
  /** What the agent is, beside what it is to do: its persona. */
  readonly systemPrompt?: string
  /** How much it may do unasked; without a box, `yolo` falls back to `cautious`. */
  readonly mode?: AgentMode
  /** The session of an earlier attempt to go on with, where `capabilities.resume` is true. */
  readonly session?: string | null
  /** Operations that were denied and that the operator has allowed since, as the runtime named them. */
  readonly allowed?: readonly string[]
  /** The JSON Schema that `output` of its report has to meet, where its playbook wants one. */
  readonly output?: { readonly name: string; readonly schema: Record<string, unknown> }
  /** Where in its playbook it stands, and what it is given, in a playbook that works in steps. */
  readonly step?: LaunchStep
}

export interface LaunchStep {
  readonly phase: string
  readonly workstream: string | null
  /** Of the brief, in its run: `t4:<workstream>:<squad>:<task>`. */
  readonly key: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** What it may touch, where that was agreed. */
  readonly files: readonly string[]
}

/** yolo: everything; cautious: what cannot be taken back is asked first; plan_only: look, change nothing. */
export type AgentMode = 'yolo' | 'cautious' | 'plan_only'

export interface AgentHandle {
  readonly pid: number | null
  /** By which a later attempt goes on where this one was interrupted. */
  readonly session?: string | null
  /** It is in the box. */
  readonly boxed?: boolean
  /** What was started, without the box around it. */
  readonly argv?: readonly string[]
  /** How much it may do unasked, where that is not what was asked for. */
  readonly mode?: AgentMode
  /** Everything it does, in order; ends after exactly one `ended`. */
  readonly events: AsyncIterable<RuntimeEvent>
  /** Text into a live session; rejects with `unsupported` where `capabilities.send` is false. */
  send(text: string): Promise<void>
  /** Asks it to stop; it is killed after a grace time. Resolves when it is gone. Safe to call twice. */
  interrupt(): Promise<void>
}

export type RuntimeEvent =
  /** Free text or a line of output, at most 64 KB. */
  | { readonly kind: 'text'; readonly text: string; readonly from?: 'stderr' }
  | { readonly kind: 'tool'; readonly name: string; readonly summary: string }
  | ModelUsage
  /** A report made outside the API (standard output, outbox, final message); still unchecked. */
  | { readonly kind: 'report'; readonly report: unknown }
  | AgentEnded

/** One model call: tokens since the last one, never a total. */
export interface ModelUsage {
  readonly kind: 'usage'
  /** All of them, those read from or written to a cache too. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly model?: string
  readonly provider?: string
}

export interface AgentEnded {
  readonly kind: 'ended'
  readonly exitCode: number | null
  readonly signal: string | null
  /** In one line, where exit code and signal do not say enough. */
  readonly detail?: string
  /** Its provider takes no more calls for now: nobody's fault, and no use to try again before. */
  readonly limited?: Limited
  /** It was killed because it used more than it may. */
  readonly breach?: Breach
  readonly used?: ResourceUse
  /** What it wanted to do and was not allowed to: the operator is asked. */
  readonly denied?: readonly Denied[]
}

export interface Denied {
  /** What `Launch.allowed` names to let it pass: a rule of the runtime's own. */
  readonly rule: string
  /** In one line, for whoever is asked. */
  readonly what: string
}

export interface Limited {
  /** Without one, the runtime's own. */
  readonly provider?: string
  /** For how long from now; null: it did not say. */
  readonly seconds: number | null
  readonly reason: string
}
