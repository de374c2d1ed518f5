import type { Denied, Limited, RuntimeEvent } from '../port.ts'
import { limitedOf, usageOf } from '../usage-lines.ts'
import type { StepValue } from './contract.ts'

/** The lines that the scripted agent's process prints for its runtime: one JSON object per line. */
export type AgentLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly summary: string }
  | ({ readonly type: 'usage' } & StepValue<'usage'>)
  | ({ readonly type: 'limited' } & StepValue<'quota'>)
  | ({ readonly type: 'denied' } & Denied)
  | { readonly type: 'report'; readonly report: unknown }

/** Returns null for every other line, which is then text like any other output. */
export function readAgentLine(line: string): RuntimeEvent | ({ kind: 'limited' } & Limited) | null {
  if (!line.startsWith('{"type":')) return null
  const fields = parseLine(line)
  switch (fields?.['type']) {
    case 'text':
      return typeof fields['text'] === 'string' ? { kind: 'text', text: fields['text'] } : null
    case 'tool': {
      const { name, summary } = fields
      return typeof name === 'string' && typeof summary === 'string' ? { kind: 'tool', name, summary } : null
    }
    case 'usage':
      return usageOf(fields)
    case 'limited':
      return { kind: 'limited', ...limitedOf(fields) }
    case 'report':
      return { kind: 'report', report: fields['report'] }
    default:
      return null
  }
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Returns the denied operation in a line, or null. */
export function deniedIn(line: string): Denied | null {
  const fields = line.startsWith('{"type":"denied"') ? parseLine(line) : null
  const { rule, what } = fields ?? {}
  return typeof rule === 'string' && typeof what === 'string' ? { rule, what } : null
}

/** Reports whether a destructive operation is allowed: in `cautious` only with approval, in `plan_only` never. */
export const isAllowed = (rule: string, mode: string | undefined, allowed: readonly string[]): boolean =>
  mode !== 'plan_only' && (mode !== 'cautious' || allowed.includes(rule))
