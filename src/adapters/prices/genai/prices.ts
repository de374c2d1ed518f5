import type { ModelCall, Prices } from '../port.ts'

/**
 * The price table that is shipped with us; nothing is fetched. It is loaded with the first call that names a model: an
 * installation whose agents say nothing about models never pays for it.
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
    // The parts of a whole are never more than it, whatever an agent says.
    input_tokens: Math.max(call.inputTokens, call.cacheReadTokens + call.cacheWriteTokens),
    output_tokens: call.outputTokens,
    cache_read_tokens: call.cacheReadTokens,
    cache_write_tokens: call.cacheWriteTokens,
  }
  const price =
    priced(() => calcPrice(usage, model, call.provider === null ? {} : { providerId: call.provider })) ??
    // Whoever resells a model under its own name may not be in the table; the model's maker is.
    (call.provider === null || ownMachines.has(call.provider) ? null : priced(() => calcPrice(usage, model)))
  // Rounded up: many small calls must not come out cheaper than they were.
  return price === null ? null : Math.ceil(price * 1e6 - 1e-6)
}

/** What a model costs at its maker's says nothing about one that runs here. */
const ownMachines: ReadonlySet<string> = new Set(['ollama'])

/** The table throws where it has a model but not the price of one of its units; that is not known either. */
function priced(calculate: () => { total_price: number } | null): number | null {
  try {
    const price = calculate()?.total_price
    return price === undefined || !Number.isFinite(price) || price < 0 ? null : price
  } catch {
    return null
  }
}
