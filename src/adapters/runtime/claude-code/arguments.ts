import type { AgentMode } from '../port.ts'
import { modeArguments } from './modes.ts'

export interface ClaudeLaunch {
  readonly mode: AgentMode
  readonly model?: string | undefined
  readonly maxTurns: number
  /** Whether the agent may start further agents. */
  readonly nativeTeams: boolean
  /** The session to start under this id, or to resume. */
  readonly session: { readonly id: string; readonly resumes: boolean }
  /** The file with the addition to the system prompt, relative to the workspace; null: there is none. */
  readonly systemPromptFile: string | null
  /** The command that starts the MCP server with the attempt's tools. */
  readonly mcp: readonly [program: string, ...args: string[]]
  /** The hook that decides about operations that no rule allows. */
  readonly permit: readonly [program: string, ...args: string[]]
}

/**
 * Returns the command line. Every user of this machine can read it, so no prompt is part of it: the prompt goes to standard
 * input, the system prompt is in a file. Settings of the repository and of the home are ignored: the agent
 * can write both.
 */
export function claudeArguments({
  mode,
  model,
  maxTurns,
  nativeTeams,
  session,
  systemPromptFile,
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
    ...(systemPromptFile === null ? [] : [['--append-system-prompt-file', systemPromptFile] as [string, string]]),
    ['--mcp-config', JSON.stringify(mcpServers(mcp))],
    ['--strict-mcp-config'],
    [session.resumes ? '--resume' : '--session-id', session.id],
  ]
  return words.flat()
}

const settings = (ask: readonly string[], permit: readonly string[]): object => ({
  permissions: { ask },
  hooks: {
    // A hook that fails changes nothing, so the operation stays denied.
    PermissionRequest: [{ matcher: '*', hooks: [{ type: 'command', command: permit.map(quoted).join(' ') }] }],
  },
})

/** Claude Code fills in the environment when it starts the server: the token is in no file and in no process list. */
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
