import { type CallToolResult, Server } from '@modelcontextprotocol/server'

import { callOperation, type DaemonPlace, refusalText } from '../operations/call.ts'
import type { Operation } from '../operations/contract.ts'
import { toolsOf } from '../operations/tools.ts'

/** The tools of the attempt whose token this is. Nothing is checked here: the daemon does, and says why. */
export function createMcpServer(place: DaemonPlace, operations: readonly Operation[], version: string): Server {
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
    if (tool === undefined) return failed(`not_found: there is no tool "${params.name}"`)
    try {
      const answer = await callOperation(place, tool.operation, tool.inputFor(params.arguments ?? {}))
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
    } catch (error) {
      return failed(refusalText(error))
    }
  })
  return server
}

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] })
