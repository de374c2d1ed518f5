import { command } from '../declare.ts'

export const mcpCommand = command({
  name: 'mcp',
  summary: 'Serve the tools of your attempt over stdio (MCP)',
  examples: ['agency mcp'],
})
