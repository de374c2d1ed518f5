import type { RuntimeEvent } from '../port.ts'

/** How the scripted agent's process speaks to its runtime: one JSON object a line. */
export type AgentLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly summary: string }
  | { readonly type: 'usage'; readonly input_tokens: number; readonly output_tokens: number }
  | { readonly type: 'report'; readonly report: unknown }

/** Null for every line that is not one of ours: it is text then, like any other output. */
export function readAgentLine(line: string): RuntimeEvent | null {
  if (!line.startsWith('{"type":')) return null
  const said = parsed(line)
  switch (said?.['type']) {
    case 'text':
      return typeof said['text'] === 'string' ? { kind: 'text', text: said['text'] } : null
    case 'tool': {
      const { name, summary } = said
      return typeof name === 'string' && typeof summary === 'string' ? { kind: 'tool', name, summary } : null
    }
    case 'usage': {
      const { input_tokens: inputTokens, output_tokens: outputTokens } = said
      if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return null
      return { kind: 'usage', inputTokens, outputTokens }
    }
    case 'report':
      return { kind: 'report', report: said['report'] }
    default:
      return null
  }
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}
