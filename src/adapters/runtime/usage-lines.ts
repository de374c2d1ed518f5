import type { Limited, ModelUsage } from './port.ts'

/**
 * Parses the lines that any agent may print about its model calls, one JSON object per line:
 * `{"type":"usage","input_tokens":1200,"output_tokens":80,"model":"…"}` for each call, and
 * `{"type":"limited","seconds":3600}` before it ends because its provider rejects further calls.
 */
export function readUsageLine(line: string): ModelUsage | ({ kind: 'limited' } & Limited) | null {
  if (!/^\{\s{0,4}"type"/.test(line)) return null
  try {
    const fields = JSON.parse(line) as Record<string, unknown>
    if (fields['type'] === 'usage') return claimedUsageOf(fields)
    return fields['type'] === 'limited' ? { kind: 'limited', ...limitedOf(fields) } : null
  } catch {
    return null
  }
}

/** Any program can print any number. */
function claimedUsageOf(fields: Record<string, unknown>): ModelUsage | null {
  const usage = usageOf(fields)
  return usage === null ? null : { ...usage, claimed: true }
}

export function usageOf(fields: Record<string, unknown>): ModelUsage | null {
  const { input_tokens: inputTokens, output_tokens: outputTokens, model, provider } = fields
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return null
  const { cache_read_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens } = fields
  return {
    kind: 'usage',
    inputTokens,
    outputTokens,
    ...(typeof cacheReadTokens === 'number' ? { cacheReadTokens } : {}),
    ...(typeof cacheWriteTokens === 'number' ? { cacheWriteTokens } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof provider === 'string' ? { provider } : {}),
  }
}

export const limitedOf = ({ provider, seconds, reason }: Record<string, unknown>): Limited => ({
  seconds: typeof seconds === 'number' ? seconds : null,
  reason: typeof reason === 'string' ? reason : 'rate limited',
  ...(typeof provider === 'string' ? { provider } : {}),
})
