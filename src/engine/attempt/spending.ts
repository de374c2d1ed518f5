import { type ModelCall, noPrices } from '../../adapters/prices/port.ts'
import type { ModelUsage } from '../../adapters/runtime/port.ts'
import type { Stream } from '../../db/port.ts'
import type { Clock } from '../../kernel/clock.ts'
import { bug } from '../../kernel/errors.ts'
import { createRateLimit, type RateLimit } from '../../kernel/rate.ts'
import { shorten } from '../../kernel/text.ts'
import { findProgress } from '../../work/attempts/store.ts'
import { findRun } from '../../work/runs/store.ts'
import { findSpend, spendId } from '../../work/spends/store.ts'
import type { EngineDeps } from '../deps.ts'
import type { Refused } from '../../work/budgets/arithmetic.ts'
import { persist } from '../persist.ts'
import { scopeOf } from '../../work/scope.ts'
import { type PricedCall, recordSpends } from '../../work/spends/record.ts'
import type { Claimed } from './start.ts'

/** Records the model calls that an agent reports while it works. */
export interface Spending {
  add(usage: ModelUsage, append: (text: string) => void): void
  /** Resolves, after the agent has ended, to the calls that are not written yet: they are written with its end. */
  rest(): Promise<PricedCall[]>
  /** The streams of the attempt's budgets, as far as they are known. */
  streams(): readonly Stream[]
}

/** Limits the rows of calls by brief: every attempt at a brief that fails again and again would get a burst of its own. */
export const createRowLimit = (clock: Clock): RateLimit => createRateLimit({ perSecond: 5, burst: 200, clock })

/** Calls `refuse` when the agent has to stop. An attempt that reports no calls costs nothing here. */
export function createSpending(
  deps: EngineDeps,
  claimed: Claimed,
  rows: RateLimit,
  refuse: (why: Refused) => void,
): Spending {
  let number = 0
  let tokens = 0
  let waiting: PricedCall[] = []
  let streams = claimed.streams ?? []
  let writing: Promise<void> | null = null
  let failure: { error: unknown } | null = null
  let isOver = false
  const gathered = new Map<string, CountedCall>()

  function add(usage: ModelUsage, append: (text: string) => void): void {
    const call = callOf(usage, tokens)
    if (call === null) return append('[usage] not a number of tokens; ignored\n')
    if (call.inputTokens + call.outputTokens === 0) return
    tokens += call.inputTokens + call.outputTokens
    const counted = { ...call, claimed: usage.claimed === true }
    if (!rows.take(claimed.brief.id)) return gather(counted)
    waiting.push({ ...counted, number: ++number, costMicros: null })
    writing ??= writeSoon()
  }

  /** Adds up calls that come faster than any model answers, by model, and keeps one row of them per second. */
  function gather(call: CountedCall): void {
    if (gathered.size === 0) deps.clock.after(gatherMs, flush)
    const own = `${call.provider}\n${call.model}\n${call.claimed}`
    const key = gathered.has(own) || gathered.size < maxGathered ? own : `others\n${call.claimed}`
    const before = gathered.get(key)
    const named = key === own ? call : { ...call, provider: null, model: null }
    gathered.set(key, before === undefined ? named : sumOf(before, call))
  }

  function flush(): void {
    if (isOver || gathered.size === 0) return
    takeGathered()
    writing ??= writeSoon()
  }

  function takeGathered(): void {
    for (const call of gathered.values()) waiting.push({ ...call, number: ++number, costMicros: null })
    gathered.clear()
  }

  /** Writes calls of the same tick together; those of an agent that ends in this tick are written with its end. */
  async function writeSoon(): Promise<void> {
    try {
      await new Promise<void>((resolve) => setImmediate(resolve))
      while (waiting.length > 0 && !isOver) await write(await priced(take()))
    } catch (error) {
      failure = { error }
    } finally {
      writing = null
    }
  }

  const take = (atMost = callsPerWrite): PricedCall[] => {
    const taken = waiting.slice(0, atMost)
    waiting = waiting.slice(atMost)
    return taken
  }

  const priced = (calls: readonly PricedCall[]): Promise<PricedCall[]> =>
    Promise.all(calls.map(async (call) => ({ ...call, costMicros: await (deps.prices ?? noPrices).priceOf(call) })))

  async function write(calls: readonly PricedCall[]): Promise<void> {
    let isRepeated = false
    const spent = await persist(deps, () =>
      deps.db.write([`run:${claimed.run.id}`, ...streams], async (tx) => {
        // An earlier try was committed, but its response was lost.
        if (isRepeated && (await findSpend(tx, spendId(claimed.attempt.id, calls[0]?.number ?? 0))) !== undefined)
          return null
        isRepeated = true
        const run = await findRun(tx, claimed.run.id)
        const progress = await findProgress(tx, claimed.attempt.id)
        if (run === undefined || progress === undefined) throw bug(`attempt ${claimed.attempt.id} vanished`)
        const scope = scopeOf(deps, tx, run, 'engine')
        const attempt = { ...claimed.attempt, ...progress }
        return recordSpends(scope, claimed.brief, attempt, calls, { goOn: true })
      }),
    )
    if (spent === null) return
    streams = spent.streams
    if (spent.refused !== null) refuse(spent.refused)
  }

  return {
    add,
    async rest() {
      isOver = true
      takeGathered()
      await writing
      if (failure !== null) throw failure.error
      while (waiting.length > callsPerWrite) await write(await priced(take()))
      return priced(take())
    },
    streams: () => streams,
  }
}

/** The maximum number of calls in one event. */
const callsPerWrite = 200
const gatherMs = 1_000
/** Models whose calls are added up apart; the calls of further ones are added up without a name. */
const maxGathered = 5

/** `claimed`: the agent itself has named the tokens. */
type CountedCall = ModelCall & { readonly claimed: boolean }

const sumOf = (a: CountedCall, b: CountedCall): CountedCall => ({
  ...a,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
})

/** Validates the usage that an agent reports, so that no negative or absurd number reaches a sum. */
function callOf(usage: ModelUsage, before: number): ModelCall | null {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  if (![inputTokens, outputTokens, inputTokens + outputTokens + before].every(isCount)) return null
  const isWhole = isCount(cacheReadTokens) && isCount(cacheWriteTokens)
  return {
    provider: nameOf(usage.provider),
    model: nameOf(usage.model),
    inputTokens,
    outputTokens,
    cacheReadTokens: isWhole ? cacheReadTokens : 0,
    cacheWriteTokens: isWhole ? cacheWriteTokens : 0,
  }
}

const nameOf = (text: string | undefined): string | null => shorten((text ?? '').trim(), 200) || null

/** A billion tokens in one attempt is years of work; ten thousand times that is still a safe integer. */
const isCount = (tokens: number): boolean => Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= 1e9
