import type { RunLine } from '../../src/work/runs/contract.ts'
import { counted, money, tokens } from '../text.ts'

type Priced = Pick<RunLine, 'costMicros' | 'unpricedCalls' | 'simulated' | 'inputTokens' | 'outputTokens'>

/** Nothing of the work has a price: an amount of money would only be a zero that means nothing. */
export const isUnpriced = ({ costMicros, unpricedCalls }: Priced): boolean => costMicros === 0 && unpricedCalls > 0

/** Shows the cost so far, and beside it everything that limits the meaning of the figure. */
export function Cost({ run, limit }: { run: Priced; limit?: number | null }) {
  const limited = limit !== undefined && limit !== null
  if (isUnpriced(run))
    return (
      <span className="figure" title="The prices of the models are unknown, so the work is measured in tokens">
        {tokens(run.inputTokens + run.outputTokens)}
        <span className="muted">, {run.simulated ? 'simulated' : 'unpriced'}</span>
        {limited && <span className="muted">, limit {money(limit * 1_000_000)}</span>}
      </span>
    )
  return (
    <span className="figure">
      {money(run.costMicros)}
      {limited && ` of ${money(limit * 1_000_000)}`}
      {run.simulated && <span className="muted"> (simulated)</span>}
      {run.unpricedCalls > 0 && (
        <span className="muted" title="The prices of their models are unknown, so no sum includes them">
          {' '}
          + {counted(run.unpricedCalls, 'call')} unpriced
        </span>
      )}
    </span>
  )
}
