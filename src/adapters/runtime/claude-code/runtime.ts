import { randomUUID } from 'node:crypto'

import { entryPath } from '../../../entries.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { refusal } from '../../../kernel/errors.ts'
import { rememberSecrets, withoutKnownSecrets } from '../../../secrets/redact.ts'
import type { Workspace } from '../../../workspaces/port.ts'
import { type EnvironmentSource, isSetIn } from '../environment.ts'
import { readOutbox } from '../outbox.ts'
import type { AgentMode, Launch, Runtime, SystemPromptSource } from '../port.ts'
import { startProcess } from '../process.ts'
import { claudeArguments } from './arguments.ts'
import { defaultEnvironmentNames } from './contract.ts'
import { type Environment, isolation, isSecretName, modelAccess, secretsIn, selectVariables } from './environment.ts'
import { findClaude, locate, type Unavailable } from './find.ts'
import { removePartialFiles } from './partial-files.ts'
import { checkOptions, optionsOf } from './options.ts'
import { hasSession } from './session.ts'
import { createStream } from './stream.ts'

export interface ClaudeCodeOptions {
  /** The path of `claude`; looked up in PATH if missing. */
  readonly binary?: string | null
  readonly environmentOf?: EnvironmentSource
  readonly environment: Environment
  /** The names of the variables that an agent gets. */
  readonly environmentNames?: readonly string[]
  /** The mode of a launch that names none. */
  readonly defaultMode?: AgentMode
  /** Allows `yolo` without a box too. */
  readonly allowUnsandboxedYolo?: boolean
  /** The limit for `claude --version`. */
  readonly versionTimeoutMs?: number
  readonly graceMs?: number
}

/** Enough for half a megabyte of a file in one tool call, escaped as JSON. */
const maxJsonBytes = 16 * 1024 * 1024

/** Runs Claude Code without a terminal: one process per attempt, which resumes its session if there is one. */
export function createClaudeCodeRuntime({
  binary: configured,
  environment,
  environmentOf = 'daemon',
  environmentNames = defaultEnvironmentNames,
  defaultMode = 'yolo',
  allowUnsandboxedYolo = false,
  versionTimeoutMs = 10_000,
  graceMs,
}: ClaudeCodeOptions): Runtime {
  const standard = configured ?? 'claude'
  const variables = selectVariables(environment, environmentNames)
  rememberSecrets(secretsIn(variables))
  return {
    name: 'claude-code',
    title: 'Claude Code',
    capabilities: {
      simulated: false,
      provider: 'anthropic',
      boxed: true,
      evidenceUnboxed: false,
      send: false,
      resume: true,
      teams: true,
    },
    available: async () => {
      const found = await findClaude(standard, versionTimeoutMs)
      if (!found.ok) return found
      return hasKey(environment, environmentNames)
        ? { ok: true, version: found.version }
        : missingKey(environmentNames, environmentOf)
    },
    fields: [{ name: 'model', label: 'Model' }],
    checkOptions,
    startsOf: ({ binary }) =>
      binary === undefined
        ? []
        : [{ where: 'binary', text: typeof binary === 'string' ? binary : JSON.stringify(binary) }],
    systemPromptOf,
    launch: async (launch) => {
      const { binary = standard, model, maxTurns, maxRetries, nativeTeams } = optionsOf(launch.options)
      const path = locate(binary)
      if (path === null) throw refusal('no_runtime', `cannot start "${binary}": no such program`)
      if (launch.attempt > 1) await removePartialFiles(launch.workspace.path)
      const stream = createStream({ nowMs: systemClock.nowMs, hide: withoutKnownSecrets })
      const { mode, remarks } = modeOf(launch.mode ?? defaultMode, launch.workspace, allowUnsandboxedYolo)
      const session = await sessionOf(launch)
      if (launch.session && !session.resumes)
        remarks.push('the earlier session no longer exists; a new session is started')
      const args = claudeArguments({
        mode,
        model,
        maxTurns,
        nativeTeams,
        session,
        systemPromptFile: await writeSystemPrompt(launch),
        mcp: [process.execPath, entryPath('mcp')],
        permit: [process.execPath, entryPath('claude-permit')],
      })
      const access = modelAccess(variables, launch.workspace.boxed)
      const handle = await startProcess({
        launch,
        command: [path, ...args],
        environment: {
          ...isolation(launch.workspace.home),
          ...access.variables,
          CLAUDE_CODE_MAX_RETRIES: String(maxRetries),
          ...(launch.workspace.boxed ? { IS_SANDBOX: '1' } : {}),
          ...(launch.allowed?.length ? { AGENCY_ALLOWED: JSON.stringify(launch.allowed) } : {}),
        },
        needs: { forwards: access.forwards },
        readLine: stream.readLine,
        maxJsonBytes,
        hide: withoutKnownSecrets,
        readResult: async () => [...(await readOutbox(launch.workspace)), ...stream.rest()],
        // In plan_only no denied operation can be allowed later, so none is reported.
        readEnd: () => {
          const { denied, ...end } = stream.end()
          return {
            ...end,
            ...(denied === undefined || mode === 'plan_only' ? {} : { denied }),
            ...(launch.kind !== 'verify' || stream.hasReported() ? {} : { madeNoReport: true as const }),
          }
        },
        session: session.id,
        remarks,
        ...(graceMs === undefined ? {} : { graceMs }),
      })
      return { ...handle, mode }
    },
  }
}

const hasKey = (environment: Environment, names: readonly string[]): boolean =>
  names.some((name) => isSecretName(name) && (environment[name] ?? '') !== '')

const missingKey = (names: readonly string[], source: EnvironmentSource): Unavailable => ({
  ok: false,
  reason: `Claude Code is installed, but has no key: none of ${names.filter(isSecretName).join(', ')} ${isSetIn(source)}`,
  install: 'agency down; ANTHROPIC_API_KEY=… agency up (or CLAUDE_CODE_OAUTH_TOKEN, from `claude setup-token`)',
})

function modeOf(mode: AgentMode, { boxed }: Workspace, allowUnsandboxedYolo: boolean) {
  const remarks: string[] = []
  const fallBack = (why: string): { mode: AgentMode; remarks: string[] } => ({
    mode: 'cautious',
    remarks: [`yolo → cautious: ${why}`],
  })
  if (mode !== 'yolo' || boxed) return { mode, remarks }
  if (!allowUnsandboxedYolo) return fallBack('no box is available here')
  if (process.getuid?.() === 0) return fallBack('Claude Code refuses full permissions to root outside of a box')
  return { mode, remarks }
}

async function sessionOf({ session, workspace }: Launch): Promise<{ id: string; resumes: boolean }> {
  if (session && (await hasSession(workspace.home, session))) return { id: session, resumes: true }
  return { id: randomUUID(), resumes: false }
}

const instructions = 'CLAUDE.md'
/** Longer texts would leave no room for the work. */
const maxPromptBytes = 48 * 1024
/** Agents can read it but not change it. */
const promptFile = '.agency/system-prompt.md'

/** Writes the system prompt into the workspace; returns its path, or null if there is no such prompt. */
async function writeSystemPrompt({ systemPrompt = '', workspace }: Launch): Promise<string | null> {
  if (systemPrompt === '') return null
  await workspace.write(promptFile, systemPrompt)
  return promptFile
}

/**
 * Joins the persona and the instructions of the operator: Claude Code does not read that file when settings are ignored.
 * An agent may have written the one in the workspace.
 */
async function systemPromptOf({ text, readBase }: SystemPromptSource): Promise<string> {
  const own = (await readBase(instructions)) ?? ''
  const repository = own.trim() === '' ? '' : `# ${instructions} of this repository\n\n${own.slice(0, maxPromptBytes)}`
  return [text.slice(0, maxPromptBytes), repository].filter((part) => part.trim() !== '').join('\n\n')
}
