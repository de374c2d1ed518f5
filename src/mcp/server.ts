import { type CallToolResult, Server } from '@modelcontextprotocol/server'

import { callOperation, refusalText } from '../client/call.ts'
import type { DaemonAddress } from '../client/send.ts'
import type { Operation } from '../operations/contract.ts'
import { toolsOf } from '../operations/tools.ts'

/**
 * Serves the tools of the attempt that the token belongs to. The daemon makes all checks; its refusals are passed on.
 */
export function createMcpServer(address: DaemonAddress, operations: readonly Operation[], version: string): Server {
  const tools = new Map(toolsOf(operations).map((tool) => [tool.name, tool]))
  const server = new Server({ name: 'agency', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()].map(({ name, description, inputSchema, readOnly }) => ({
      name,
      description,
      inputSchema,
      annotations: { readOnlyHint: readOnly },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name)
    if (tool === undefined)
      return failed(`not_found: unknown tool "${params.name}"; available: ${[...tools.keys()].join(', ')}`)
    try {
      const answer = await callOperation(address, tool.operation, tool.inputFor(params.arguments ?? {}))
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
    } catch (error) {
      return failed(refusalText(error))
    }
  })
  return server
}

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] })
