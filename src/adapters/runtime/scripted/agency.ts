import { execFile } from 'node:child_process'

import { send } from '../../../client/send.ts'
import { entryPath } from '../../../entries.ts'
import type { Endpoint } from '../../../operations/endpoint.ts'
import { ApiError } from '../../../operations/problem.ts'

/**
 * Sends a body over Agency's socket; resolves to null when it was accepted, otherwise to one line of reason. The body is
 * sent unchanged: a scenario may report a value that is not even an object.
 */
export async function callAgency(token: string, { method, path }: Endpoint, body: unknown): Promise<string | null> {
  const socket = process.env['AGENCY_SOCKET']
  if (socket === undefined) return 'AGENCY_SOCKET is not set'
  try {
    await send({ socket, token }, { method, path: `/api${path}`, body: JSON.stringify(body) })
    return null
  } catch (error) {
    return error instanceof ApiError ? `${error.status} ${error.body}` : (error as Error).message
  }
}

/** Calls a tool of Agency's MCP server, started as an agent would start it; resolves to the answer as text. */
export async function callTool(token: string, name: string, input: Record<string, unknown>): Promise<string> {
  // Loaded only here: it would double the start time of every scripted agent.
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ])
  const client = new Client({ name: 'scripted-agent', version: '1' })
  try {
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [entryPath('mcp')], env: environmentWith(token) }),
    )
    const { content, isError } = await client.callTool({ name, arguments: input })
    const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
    return isError === true ? `refused: ${text}` : text
  } catch (error) {
    return `refused: ${(error as Error).message}`
  } finally {
    await client.close()
  }
}

/** Runs an `agency` command; resolves to null if it succeeded, otherwise to its output. */
export const runCli = (token: string, args: readonly string[]): Promise<string | null> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [entryPath('agency'), ...args],
      { env: environmentWith(token) },
      (error, stdout, stderr) => resolve(error === null ? null : `${stderr}${stdout}`.trim() || error.message),
    )
  })

function environmentWith(token: string): Record<string, string> {
  const environment: Record<string, string> = { AGENCY_TOKEN: token }
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] ??= value
  return environment
}
