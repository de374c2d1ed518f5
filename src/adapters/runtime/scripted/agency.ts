import { execFile } from 'node:child_process'
import { request } from 'node:http'

import { entryPath } from '../../../entries.ts'

/** Posts to Agency over its socket; resolves to null if accepted, otherwise to the reason in one line. */
export function post(token: string, path: string, body: unknown): Promise<string | null> {
  const socketPath = process.env['AGENCY_SOCKET']
  if (socketPath === undefined) return Promise.resolve('AGENCY_SOCKET is not set')
  return new Promise((resolve) => {
    const headers = { host: 'localhost', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = request({ socketPath, method: 'POST', path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (error) => resolve(error.message))
      response.on('end', () => {
        const { statusCode = 0 } = response
        resolve(statusCode < 300 ? null : `${statusCode} ${Buffer.concat(chunks).toString()}`)
      })
    })
    sent.on('error', (error) => resolve(error.message))
    sent.end(JSON.stringify(body))
  })
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
