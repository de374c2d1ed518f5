import { randomUUID } from 'node:crypto'

import { entryPath } from '../../../entries.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { refusal } from '../../../kernel/errors.ts'
import { rememberSecrets, withoutKnownSecrets } from '../../../secrets/redact.ts'
import type { Workspace } from '../../../workspaces/port.ts'
import { type EnvironmentOf, isSetIn } from '../environment.ts'
import { readOutbox } from '../outbox.ts'
import type { AgentMode, Launch, Runtime } from '../port.ts'
import { startProcess } from '../process.ts'
import { claudeArguments } from './arguments.ts'
import { passedOnByDefault } from './contract.ts'
import { type Environment, forwardsTo, isNameOfSecret, passedOn, quiet, secretsIn } from './environment.ts'
import { findClaude, locate, type NotFound } from './find.ts'
import { removeHalfWritten } from './partial-files.ts'
import { checkOptions, optionsOf } from './options.ts'
import { knowsSession } from './session.ts'
import { createStream } from './stream.ts'

export interface ClaudeCodeOptions {
  /** Where `claude` is; without it, wherever PATH finds it. */
  readonly binary?: string | null
  readonly environmentOf?: EnvironmentOf
  readonly environment: Environment
  /** Which names of it an agent gets. */
  readonly passOn?: readonly string[]
  /** Of a launch that names none. */
  readonly defaultMode?: AgentMode
  /** `yolo` also where nothing holds an agent back. */
  readonly allowUnsandboxedYolo?: boolean
  /** How long it may take to say which version it is. */
  readonly patienceMs?: number
  readonly graceMs?: number
}

/** Half a megabyte of a file in one call of a tool, and what JSON makes of it. */
const maxJsonBytes = 16 * 1024 * 1024

/** Claude Code, without a terminal: one process for each attempt, which goes on with its session where there is one. */
export function createClaudeCodeRuntime({
  binary: configured,
  environment,
  environmentOf = 'daemon',
  passOn = passedOnByDefault,
  defaultMode = 'yolo',
  allowUnsandboxedYolo = false,
  patienceMs = 10_000,
  graceMs,
}: ClaudeCodeOptions): Runtime {
  const standard = configured ?? 'claude'
  const given = passedOn(environment, passOn)
  rememberSecrets(secretsIn(given))
  return {
    name: 'claude-code',
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
      const found = await findClaude(standard, patienceMs)
      if (!found.ok) return found
      return hasKey(environment, passOn) ? { ok: true } : withoutKey(passOn, environmentOf)
    },
    checkOptions,
    launch: async (launch) => {
      const { binary = standard, model, maxTurns, maxRetries, nativeTeams } = optionsOf(launch.options)
      const path = locate(binary)
      if (path === null) throw refusal('no_runtime', `cannot start "${binary}": no such program`)
      if (launch.attempt > 1) await removeHalfWritten(launch.workspace.path)
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
        systemPrompt: await systemPromptOf(launch),
        mcp: [process.execPath, entryPath('mcp')],
        permit: [process.execPath, entryPath('claude-permit')],
      })
      const handle = await startProcess({
        launch,
        command: [path, ...args],
        environment: {
          ...quiet(launch.workspace.home),
          ...given,
          CLAUDE_CODE_MAX_RETRIES: String(maxRetries),
          ...(launch.workspace.boxed ? { IS_SANDBOX: '1' } : {}),
          ...(launch.allowed?.length ? { AGENCY_ALLOWED: JSON.stringify(launch.allowed) } : {}),
        },
        needs: { readable: [path], forwards: forwardsTo(given['ANTHROPIC_BASE_URL']) },
        readLine: stream.readLine,
        maxJsonBytes,
        hide: withoutKnownSecrets,
        readResult: async () => {
          const rest = stream.rest()
          const laidOut = await readOutbox(launch.workspace)
          return laidOut.length > 0 ? [...rest.filter(({ kind }) => kind !== 'report'), ...laidOut] : rest
        },
        // Whoever may only look asked for nothing that could be allowed.
        readEnd: () => {
          const { denied, ...end } = stream.end()
          return denied === undefined || mode === 'plan_only' ? end : { ...end, denied }
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
  names.some((name) => isNameOfSecret(name) && (environment[name] ?? '') !== '')

const withoutKey = (names: readonly string[], whose: EnvironmentOf): NotFound => ({
  ok: false,
  reason: `Claude Code is installed, but has no key: none of ${names.filter(isNameOfSecret).join(', ')} ${isSetIn(whose)}`,
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
  if (session && (await knowsSession(workspace.home, session))) return { id: session, resumes: true }
  return { id: randomUUID(), resumes: false }
}

const instructions = 'CLAUDE.md'
/** An argument may not be longer than 128 KB, and both share one. */
const maxPromptBytes = 48 * 1024

/** Its persona, and what the repository tells whoever works on it: that file is not found where settings do not count. */
async function systemPromptOf({ systemPrompt = '', workspace, kind }: Launch): Promise<string> {
  // Who judges works in the doer's directory: what the doer writes there must not instruct its judge.
  const file = kind === 'verify' ? null : await workspace.read(instructions, maxPromptBytes)
  const told = file === null ? '' : `# ${instructions} of this repository\n\n${file.text}`
  return [systemPrompt.slice(0, maxPromptBytes), told].filter((part) => part.trim() !== '').join('\n\n')
}
