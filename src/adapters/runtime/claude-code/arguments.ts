import type { AgentMode } from '../port.ts'
import { modeArguments } from './modes.ts'

export interface ClaudeLaunch {
  readonly mode: AgentMode
  readonly model?: string | undefined
  readonly maxTurns: number
  /** Whether it may start agents of its own. */
  readonly nativeTeams: boolean
  /** To begin under this name, or to go on with. */
  readonly session: { readonly id: string; readonly resumes: boolean }
  readonly systemPrompt: string
  /** How the server of the attempt's tools is started. */
  readonly mcp: readonly [program: string, ...args: string[]]
  /** What decides about operations that nobody allowed beforehand. */
  readonly permit: readonly [program: string, ...args: string[]]
}

/**
 * The prompt is not among them: it comes by standard input, where nobody else on this machine reads it and no length
 * is too long. Settings of the repository and of the home do not count: both are the agent's to write.
 */
export function claudeArguments({
  mode,
  model,
  maxTurns,
  nativeTeams,
  session,
  systemPrompt,
  mcp,
  permit,
}: ClaudeLaunch): string[] {
  const { allowed, disallowed, ask, flags } = modeArguments(mode, nativeTeams)
  const words: [flag: string, ...values: string[]][] = [
    ['--print'],
    ['--output-format', 'stream-json'],
    ['--verbose'],
    ['--include-partial-messages'],
    ['--max-turns', String(maxTurns)],
    ...(model === undefined ? [] : [['--model', model] as [string, string]]),
    ['--allowedTools', allowed.join(',')],
    ['--disallowedTools', disallowed.join(',')],
    flags,
    ['--setting-sources', ''],
    ['--settings', JSON.stringify(settings(ask, permit))],
    ...(systemPrompt === '' ? [] : [['--append-system-prompt', systemPrompt] as [string, string]]),
    ['--mcp-config', JSON.stringify(mcpServers(mcp))],
    ['--strict-mcp-config'],
    [session.resumes ? '--resume' : '--session-id', session.id],
  ]
  return words.flat()
}

const settings = (ask: readonly string[], permit: readonly string[]): object => ({
  permissions: { ask },
  hooks: {
    // A hook that fails leaves things as they are, and here that is: not allowed.
    PermissionRequest: [{ matcher: '*', hooks: [{ type: 'command', command: permit.map(quoted).join(' ') }] }],
  },
})

/** Its environment is filled in when it is started: the token stands in no file and in no list of processes. */
const mcpServers = ([command, ...args]: readonly [string, ...string[]]): object => ({
  mcpServers: {
    agency: {
      type: 'stdio',
      command,
      args,
      env: { AGENCY_TOKEN: '${AGENCY_TOKEN}', AGENCY_SOCKET: '${AGENCY_SOCKET}' },
    },
  },
})

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
