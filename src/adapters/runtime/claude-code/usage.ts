import type { ModelUsage } from '../port.ts'
import { isRecord } from './rule.ts'

interface Tokens {
  /** Of the input, those that no cache knew. */
  fresh: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/**
 * Tokens by difference. A message is seen in pieces, each with the same figures, and what it wrote is known only at its
 * end; what helpers of the agent wrote is not said at all before a result is. That one counts everything since the
 * last, so that whatever is missing comes with it.
 */
export function createUsage() {
  /** Calls whose end was not seen yet, by conversation: the agent's own, and those of its helpers. */
  const open = new Map<string, { id: string; model: string; tokens: Tokens }>()
  const counted = new Set<string>()
  /** What was passed on since the last result. */
  let passedOn = new Map<string, Tokens>()

  const passOn = (model: string, tokens: Tokens): ModelUsage[] => {
    if (total(tokens) === 0) return []
    passedOn.set(model, sum(passedOn.get(model) ?? none, tokens))
    return [usageEvent(model, tokens)]
  }
  const close = (conversation: string): ModelUsage[] => {
    const call = open.get(conversation)
    open.delete(conversation)
    if (call === undefined || counted.has(call.id)) return []
    counted.add(call.id)
    return passOn(call.model, call.tokens)
  }
  return {
    /** A message, or a piece of one: what it has read so far. */
    seen: (conversation: string, message: Record<string, unknown>): ModelUsage[] => {
      const { id, model, usage } = message
      if (typeof id !== 'string' || typeof model !== 'string' || model.startsWith('<') || counted.has(id)) return []
      const before = open.get(conversation)?.id === id ? [] : close(conversation)
      open.set(conversation, { id, model, tokens: tokensOf(usage) })
      return before
    },
    /** The end of the message that the conversation is at. */
    finished: (conversation: string, usage: unknown): ModelUsage[] => {
      const call = open.get(conversation)
      if (call !== undefined) call.tokens = largest(call.tokens, tokensOf(usage))
      return close(conversation)
    },
    /** All models since the last result. */
    result: (since: unknown): ModelUsage[] => {
      const events = [...open.keys()].flatMap(close)
      if (isRecord(since))
        for (const [model, said] of Object.entries(since))
          events.push(...passOn(model, difference(totalsOf(said), passedOn.get(model) ?? none)))
      passedOn = new Map()
      return events
    },
    /** What had begun when it ended. */
    rest: (): ModelUsage[] => [...open.keys()].flatMap(close),
  }
}

const none: Tokens = { fresh: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

function tokensOf(usage: unknown): Tokens {
  const said = isRecord(usage) ? usage : {}
  return {
    fresh: count(said['input_tokens']),
    output: count(said['output_tokens']),
    cacheRead: count(said['cache_read_input_tokens']),
    cacheWrite: count(said['cache_creation_input_tokens']),
  }
}

/** The same figures as a result words them. */
function totalsOf(usage: unknown): Tokens {
  const said = isRecord(usage) ? usage : {}
  return {
    fresh: count(said['inputTokens']),
    output: count(said['outputTokens']),
    cacheRead: count(said['cacheReadInputTokens']),
    cacheWrite: count(said['cacheCreationInputTokens']),
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
