import type { ModelCall, Prices } from '../port.ts'

/**
 * Reads the price table that is shipped with Agency; nothing is fetched. It is loaded with the first call that names a
 * model: an installation whose agents report no models never pays for it.
 */
export function createPrices(): Prices {
  let table: Promise<typeof import('@pydantic/genai-prices')> | null = null
  return {
    priceOf: async (call) => {
      if (call.model === null) return null
      table ??= import('@pydantic/genai-prices')
      return micros((await table).calcPrice, call, call.model)
    },
  }
}

type CalcPrice = (typeof import('@pydantic/genai-prices'))['calcPrice']

function micros(calcPrice: CalcPrice, call: ModelCall, model: string): number | null {
  const usage = {
    // The parts never exceed the whole, even if an agent reports so.
    input_tokens: Math.max(call.inputTokens, call.cacheReadTokens + call.cacheWriteTokens),
    output_tokens: call.outputTokens,
    cache_read_tokens: call.cacheReadTokens,
    cache_write_tokens: call.cacheWriteTokens,
  }
  const price =
    priced(() => calcPrice(usage, model, call.provider === null ? {} : { providerId: call.provider })) ??
    // A reseller of a model may be missing in the table; the model's maker is in it.
    (call.provider === null || ownMachines.has(call.provider) ? null : priced(() => calcPrice(usage, model)))
  // Rounded up: many small calls must not add up to less than they cost.
  return price === null ? null : Math.ceil(price * 1e6 - 1e-6)
}

/** Providers on the own machine: the price at the model's maker does not apply to them. */
const ownMachines: ReadonlySet<string> = new Set(['ollama'])

/** The table throws if it has a model but not the price of one of its units; that price is unknown too. */
function priced(calculate: () => { total_price: number } | null): number | null {
  try {
    const price = calculate()?.total_price
    return price === undefined || !Number.isFinite(price) || price < 0 ? null : price
  } catch {
    return null
  }
}
