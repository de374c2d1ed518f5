import { once } from 'node:events'

import { serveStdio } from '@modelcontextprotocol/server/stdio'

import { version } from '../entries.ts'
import { allOperations } from '../operations/all.contract.ts'
import { createMcpServer } from './server.ts'

/**
 * Serves until its client disconnects. Standard output carries only the protocol; everything else goes to standard
 * error.
 */
async function main(): Promise<void> {
  const { AGENCY_SOCKET: socket, AGENCY_TOKEN: token } = process.env
  if (!token || !socket) {
    const missing = token ? 'AGENCY_SOCKET' : 'AGENCY_TOKEN'
    process.stderr.write(
      `error: ${missing} is not set: "agency mcp" serves the agent of one attempt; Agency sets the variable when it starts that agent\n`,
    )
    process.exit(2)
  }
  const ended = once(process.stdin, 'close')
  serveStdio(() => createMcpServer({ socket, token }, allOperations, version), {
    onerror: (error) => process.stderr.write(`agency mcp: ${error.message}\n`),
  })
  await ended
}

await main()
