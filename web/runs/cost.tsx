import type { RunLine } from '../../src/work/runs/contract.ts'
import { counted, money } from '../text.ts'

type Priced = Pick<RunLine, 'costMicros' | 'unpricedCalls' | 'simulated'>

/** What it came to so far, with everything that makes the figure less than the whole truth beside it. */
export function Cost({ run, limit }: { run: Priced; limit?: number | null }) {
  return (
    <span className="figure">
      {money(run.costMicros)}
      {limit !== undefined && limit !== null && ` of ${money(limit * 1_000_000)}`}
      {run.simulated && <span className="muted"> (simulated)</span>}
      {run.unpricedCalls > 0 && (
        <span className="muted" title="No price is known for their models, so they are in no sum">
          {' '}
          + {counted(run.unpricedCalls, 'call')} unpriced
        </span>
      )}
    </span>
  )
}
