import type { GateView } from '../../src/work/gates/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { createLazy } from '../parts/lazy.tsx'
import { MergeSummary } from '../pull-requests/merge-summary.tsx'
import { addresses, Link, type RunView } from '../router.tsx'
import { Cost } from '../runs/cost.tsx'
import { estimateOf } from './labels.ts'

const GateResult = createLazy(
  { name: 'The result at the gate' },
  async () => (await import('./gate-result.tsx')).GateResult,
)

/** Gates at which a person judges the result itself. */
const judgesResult: ReadonlySet<string> = new Set(['acceptance', 'merge'])

/** Shows the facts of a gate: the result, the next step, anomalies and the cost. */
export function GateSummary({ gate, run }: { gate: GateView; run: Run | undefined }) {
  const { produced, next, anomalies, amendments = [] } = gate.summary
  const { follows, estimate } = estimateOf(next)
  const readAt = readingOf[gate.gate]
  // A pause that replaced an expired gate names that gate for the engine; the reader learns that the gate returns.
  const odd = anomalies.map((line) => (/^reopen \S+$/.test(line) ? 'The gate that expired undecided returns.' : line))
  return (
    <>
      {judgesResult.has(gate.gate) && <GateResult runId={gate.runId} />}
      <dl className="summary-parts">
        <div>
          <dt>{gate.gate === 'manual' ? 'Why' : 'Produced'}</dt>
          <dd className="written">{produced === '' ? 'not stated' : withoutCommand(produced)}</dd>
        </div>
        <div>
          <dt>Next</dt>
          <dd className="written">{follows === '' ? 'not stated' : follows}</dd>
        </div>
        {estimate !== null && (
          <div className="estimate-part">
            <dt>Estimate</dt>
            <dd>{estimate}</dd>
          </div>
        )}
        {readAt !== undefined && (
          <div>
            <dt>Details</dt>
            <dd>
              <Link to={addresses.runView(gate.runId, readAt.view)}>{readAt.text}</Link>
            </dd>
          </div>
        )}
        {gate.gate === 'merge' && <MergeSummary runId={gate.runId} />}
        <div className={odd.length === 0 ? undefined : 'odd-part'}>
          <dt>Anomalies</dt>
          <dd>{odd.length === 0 ? <span className="muted">none</span> : <Lines lines={odd} odd />}</dd>
        </div>
        {amendments.length > 0 && (
          <div>
            <dt>Amendments</dt>
            <dd>
              <Lines lines={amendments} />
            </dd>
          </div>
        )}
        {run !== undefined && (
          <div>
            <dt>Cost so far</dt>
            <dd>
              <Cost run={run} limit={run.configuration.costLimit} />
            </dd>
          </div>
        )}
        {gate.approvals !== undefined && gate.approvals.length > 0 && (
          <div>
            <dt>Approved by</dt>
            <dd>{gate.approvals.map(({ by, note }) => (note === null ? by : `${by} (${note})`)).join(', ')}</dd>
          </div>
        )}
      </dl>
    </>
  )
}

/** The card links to the changes; the command that shows them is for a terminal. */
const withoutCommand = (text: string): string => text.replace(/; see "agency pr show [^"]*"/, '')

/** The view of the run that shows the complete subject of a tier's gate. */
const readingOf: Readonly<Record<string, { view: RunView; text: string }>> = {
  t1_plan: { view: 'plan', text: 'Show the plan' },
  t2_lead: { view: 'architecture', text: 'Show boundaries and assumptions' },
  t2_synthesis: { view: 'architecture', text: 'Show the architecture' },
  t3_plan: { view: 'tasks', text: 'Show all tasks and their claims' },
  t5_verdict: { view: 'verdicts', text: 'Show all verdicts' },
}

const Lines = ({ lines, odd = false }: { lines: readonly string[]; odd?: boolean }) => (
  <ul className={odd ? 'plain odd' : 'plain'}>
    {lines.map((line, index) => (
      <li key={index}>{line}</li>
    ))}
  </ul>
)
