import type { Denied, Limited, RuntimeEvent } from '../port.ts'
import { limitedOf, usageOf } from '../usage-lines.ts'
import type { StepValue } from './contract.ts'

/** How the scripted agent's process speaks to its runtime: one JSON object a line. */
export type AgentLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly summary: string }
  | ({ readonly type: 'usage' } & StepValue<'usage'>)
  | ({ readonly type: 'limited' } & StepValue<'quota'>)
  | ({ readonly type: 'denied' } & Denied)
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

/** What it wanted to do and was not allowed to, where a line says so. */
export function deniedIn(line: string): Denied | null {
  const said = line.startsWith('{"type":"denied"') ? parsed(line) : null
  const { rule, what } = said ?? {}
  return typeof rule === 'string' && typeof what === 'string' ? { rule, what } : null
}

/** Who is cautious does nothing of the kind unasked; who may only look, nothing at all. */
export const isAllowed = (rule: string, mode: string | undefined, allowed: readonly string[]): boolean =>
  mode !== 'plan_only' && (mode !== 'cautious' || allowed.includes(rule))
