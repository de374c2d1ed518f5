import { describe, expect, it } from 'vitest'

import { createPrices } from './genai/prices.ts'
import type { ModelCall } from './port.ts'

const call = (given: Partial<ModelCall>): ModelCall => ({
  provider: null,
  model: null,
  inputTokens: 1_000_000,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  ...given,
})

describe('the price table', () => {
  const prices = createPrices()

  it('returns the price of a call of a known model in millionths of a dollar', async () => {
    expect(await prices.priceOf(call({ model: 'claude-sonnet-4-5', provider: 'anthropic', inputTokens: 1_000 }))).toBe(
      3_000,
    )
    expect(await prices.priceOf(call({ model: 'claude-sonnet-4-5', inputTokens: 1_000, outputTokens: 1_000 }))).toBe(
      18_000,
    )
  })

  it('charges less for tokens from a cache', async () => {
    const fresh = await prices.priceOf(call({ model: 'claude-sonnet-4-5', inputTokens: 10_000 }))
    const cached = await prices.priceOf(
      call({ model: 'claude-sonnet-4-5', inputTokens: 10_000, cacheReadTokens: 10_000 }),
    )
    expect(cached).toBeLessThan(fresh as number)
    expect(cached).toBeGreaterThan(0)
  })

  it('returns null and never zero for an unknown model', async () => {
    expect(await prices.priceOf(call({ model: 'a-model-of-nobody' }))).toBeNull()
    expect(await prices.priceOf(call({ model: 'a-model-of-nobody', provider: 'nobody' }))).toBeNull()
    expect(await prices.priceOf(call({ model: null }))).toBeNull()
  })

  it('finds a known model of an unknown provider', async () => {
    expect(await prices.priceOf(call({ model: 'claude-sonnet-4-5', provider: 'my-gateway', inputTokens: 1_000 }))).toBe(
      3_000,
    )
  })

  it('returns no price for a model on the own machine', async () => {
    expect(await prices.priceOf(call({ model: 'deepseek-r1:7b' }))).toBeGreaterThan(0)
    expect(await prices.priceOf(call({ model: 'deepseek-r1:7b', provider: 'ollama' }))).toBeNull()
  })

  it('accepts cache tokens above the total, and rounds the smallest call up', async () => {
    expect(
      await prices.priceOf(call({ model: 'claude-sonnet-4-5', inputTokens: 1, cacheReadTokens: 1_000 })),
    ).toBeGreaterThan(0)
    expect(await prices.priceOf(call({ model: 'gpt-4o-mini', provider: 'openai', inputTokens: 1 }))).toBe(1)
  })
})
