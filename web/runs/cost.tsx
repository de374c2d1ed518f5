import type { RunLine } from '../../src/work/runs/contract.ts'
import { counted, money } from '../text.ts'

type Priced = Pick<RunLine, 'costMicros' | 'unpricedCalls' | 'simulated'>

/** Shows the cost so far, and beside it everything that limits the meaning of the figure. */
export function Cost({ run, limit }: { run: Priced; limit?: number | null }) {
  return (
    <span className="figure">
      {money(run.costMicros)}
      {limit !== undefined && limit !== null && ` of ${money(limit * 1_000_000)}`}
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
