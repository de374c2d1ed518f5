/** One model call as an agent reports it. `inputTokens` includes tokens read from or written to a cache. */
export interface ModelCall {
  readonly provider: string | null
  readonly model: string | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

/** Prices of model calls. */
export interface Prices {
  /** Returns the price in millionths of a US dollar; null means unknown, which is not the same as free. */
  priceOf(call: ModelCall): Promise<number | null>
}

/** Knows no price. */
export const noPrices: Prices = { priceOf: async () => null }
