import type { Limited, RuntimeEvent } from '../port.ts'
import { limitedOf, usageOf } from '../usage-lines.ts'
import type { StepValue } from './contract.ts'

/** How the scripted agent's process speaks to its runtime: one JSON object a line. */
export type AgentLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly summary: string }
  | ({ readonly type: 'usage' } & StepValue<'usage'>)
  | ({ readonly type: 'limited' } & StepValue<'quota'>)
  | { readonly type: 'report'; readonly report: unknown }

/** Null for every line that is not one of ours: it is text then, like any other output. */
export function readAgentLine(line: string): RuntimeEvent | ({ kind: 'limited' } & Limited) | null {
  if (!line.startsWith('{"type":')) return null
  const said = parsed(line)
  switch (said?.['type']) {
    case 'text':
      return typeof said['text'] === 'string' ? { kind: 'text', text: said['text'] } : null
    case 'tool': {
      const { name, summary } = said
      return typeof name === 'string' && typeof summary === 'string' ? { kind: 'tool', name, summary } : null
    }
    case 'usage':
      return usageOf(said)
    case 'limited':
      return { kind: 'limited', ...limitedOf(said) }
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
