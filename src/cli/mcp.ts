import { pathToFileURL } from 'node:url'

import { entryPath } from '../entries.ts'
import type { mcpCommand } from './commands/mcp.ts'
import type { Handler } from './declare.ts'

/** Turns this process into the MCP server: standard input and output are already the right ones. */
export const serveMcp: Handler<typeof mcpCommand> = async () => {
  const entry = entryPath('mcp')
  process.argv = [process.execPath, entry]
  await import(pathToFileURL(entry).href)
  return 0
}
