import type { Reply, ToolUse } from '../support/model-server/script.ts'

export const bash = (command: string): ToolUse => ({ name: 'Bash', input: { command } })
export const write = (path: string, content: string): ToolUse => ({
  name: 'Write',
  input: { file_path: path, content },
})

/** Reports through the tools of the attempt. */
export const reporting = (summary: string, outputs: readonly string[] = []): ToolUse => ({
  name: 'mcp__agency__report',
  input: { status: 'done', summary, outputs },
})
export const report = (summary: string, outputs: readonly string[] = []): Reply => ({
  tools: [reporting(summary, outputs)],
})

/** Writes a file and reports it. */
export const writes = (path: string, content: string): Reply[] => [
  { tools: [write(path, content)] },
  report(`Wrote ${path}.`, [path]),
]
