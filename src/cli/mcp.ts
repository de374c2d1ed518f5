import { pathToFileURL } from 'node:url'

import { entryPath } from '../entries.ts'

/** The same process goes on as the MCP server: standard input and output are already the right ones. */
export async function serveMcp(): Promise<number> {
  const entry = entryPath('mcp')
  process.argv = [process.execPath, entry]
  await import(pathToFileURL(entry).href)
  return 0
}
