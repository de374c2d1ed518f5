import type { Limited, ModelUsage } from './port.ts'

/**
 * What any agent may print about its model calls, one JSON object a line:
 * `{"type":"usage","input_tokens":1200,"output_tokens":80,"model":"…"}` for each call, and
 * `{"type":"limited","seconds":3600}` before it ends because its provider takes no more.
 */
export function readUsageLine(line: string): ModelUsage | ({ kind: 'limited' } & Limited) | null {
  if (!/^\{\s{0,4}"type"/.test(line)) return null
  try {
    const said = JSON.parse(line) as Record<string, unknown>
    if (said['type'] === 'usage') return usageOf(said)
    return said['type'] === 'limited' ? { kind: 'limited', ...limitedOf(said) } : null
  } catch {
    return null
  }
}

export function usageOf(said: Record<string, unknown>): ModelUsage | null {
  const { input_tokens: inputTokens, output_tokens: outputTokens, model, provider } = said
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return null
  const { cache_read_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens } = said
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
