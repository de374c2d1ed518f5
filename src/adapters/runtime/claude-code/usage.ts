import type { ModelUsage } from '../port.ts'
import { isRecord } from './rule.ts'

interface Tokens {
  /** Input tokens that were in no cache. */
  fresh: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/**
 * Counts tokens by difference. A message arrives in pieces, each with the same figures, and its output tokens are known
 * only at its end; the output of subagents is not reported at all before a result is. A result counts everything since
 * the previous one, so that missing tokens are added with it.
 */
export function createUsage() {
  /** Calls that have not ended yet, by conversation: the agent's own, and those of its subagents. */
  const open = new Map<string, { id: string; model: string; tokens: Tokens }>()
  const counted = new Set<string>()
  /** Tokens reported since the last result, by model. */
  let reported = new Map<string, Tokens>()

  const report = (model: string, tokens: Tokens): ModelUsage[] => {
    if (total(tokens) === 0) return []
    reported.set(model, sum(reported.get(model) ?? none, tokens))
    return [usageEvent(model, tokens)]
  }
  const close = (conversation: string): ModelUsage[] => {
    const call = open.get(conversation)
    open.delete(conversation)
    if (call === undefined || counted.has(call.id)) return []
    counted.add(call.id)
    return report(call.model, call.tokens)
  }
  return {
    /** Records the tokens of a message, or of a piece of one, so far. */
    seen: (conversation: string, message: Record<string, unknown>): ModelUsage[] => {
      const { id, model, usage } = message
      if (typeof id !== 'string' || typeof model !== 'string' || model.startsWith('<') || counted.has(id)) return []
      const before = open.get(conversation)?.id === id ? [] : close(conversation)
      open.set(conversation, { id, model, tokens: tokensOf(usage) })
      return before
    },
    /** Records the end of the current message of the conversation. */
    finished: (conversation: string, usage: unknown): ModelUsage[] => {
      const call = open.get(conversation)
      if (call !== undefined) call.tokens = largest(call.tokens, tokensOf(usage))
      return close(conversation)
    },
    /** Records the totals of all models since the last result. */
    result: (since: unknown): ModelUsage[] => {
      const events = [...open.keys()].flatMap(close)
      if (isRecord(since))
        for (const [model, totals] of Object.entries(since))
          events.push(...report(model, difference(totalsOf(totals), reported.get(model) ?? none)))
      reported = new Map()
      return events
    },
    /** Returns the tokens of the calls that had not ended when the agent did. */
    rest: (): ModelUsage[] => [...open.keys()].flatMap(close),
  }
}

const none: Tokens = { fresh: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

function tokensOf(usage: unknown): Tokens {
  const fields = isRecord(usage) ? usage : {}
  return {
    fresh: count(fields['input_tokens']),
    output: count(fields['output_tokens']),
    cacheRead: count(fields['cache_read_input_tokens']),
    cacheWrite: count(fields['cache_creation_input_tokens']),
  }
}

/** Reads the same figures under the names that a result uses. */
function totalsOf(usage: unknown): Tokens {
  const fields = isRecord(usage) ? usage : {}
  return {
    fresh: count(fields['inputTokens']),
    output: count(fields['outputTokens']),
    cacheRead: count(fields['cacheReadInputTokens']),
    cacheWrite: count(fields['cacheCreationInputTokens']),
  }
}

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0

const each = (combine: (one: number, other: number) => number) => (one: Tokens, other: Tokens) => ({
  fresh: combine(one.fresh, other.fresh),
  output: combine(one.output, other.output),
  cacheRead: combine(one.cacheRead, other.cacheRead),
  cacheWrite: combine(one.cacheWrite, other.cacheWrite),
})
const sum = each((one, other) => one + other)
const largest = each(Math.max)
const difference = each((one, other) => Math.max(0, one - other))
const total = ({ fresh, output, cacheRead, cacheWrite }: Tokens): number => fresh + output + cacheRead + cacheWrite

const usageEvent = (model: string, { fresh, output, cacheRead, cacheWrite }: Tokens): ModelUsage => ({
  kind: 'usage',
  inputTokens: fresh + cacheRead + cacheWrite,
  outputTokens: output,
  ...(cacheRead > 0 ? { cacheReadTokens: cacheRead } : {}),
  ...(cacheWrite > 0 ? { cacheWriteTokens: cacheWrite } : {}),
  model,
  provider: 'anthropic',
})
