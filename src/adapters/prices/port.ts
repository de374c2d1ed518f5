/** One model call as an agent reports it. `inputTokens` counts all of them, those read from or written to a cache too. */
export interface ModelCall {
  readonly provider: string | null
  readonly model: string | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

/** What model calls cost. */
export interface Prices {
  /** In millionths of a US dollar; null: no price is known, which is not the same as free. */
  priceOf(call: ModelCall): Promise<number | null>
}

/** Where nobody knows any price. */
export const noPrices: Prices = { priceOf: async () => null }
