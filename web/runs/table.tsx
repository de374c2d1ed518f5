import type { RunLine } from '../../src/work/runs/contract.ts'
import { Columns } from '../parts/columns.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import { useStableRows } from '../parts/use-stable-rows.ts'
import { addresses, Link } from '../router.tsx'
import { counted, figure } from '../text.ts'
import { Simulated } from './simulated.tsx'
import { runState } from './state.ts'
import { WaitsFor } from './waits-for.tsx'

/** Lists runs, one row each; on a phone each row takes two lines. */
export function RunTable({ runs }: { runs: readonly RunLine[] }) {
  const { shown, waiting, release, pointer } = useStableRows(runs)
  return (
    <>
      {waiting > 0 && (
        <button type="button" className="more" onClick={release}>
          Show {counted(waiting, 'new run')}
        </button>
      )}
      <table className="runs" {...pointer}>
        <Columns
          of={{
            Status: '',
            Goal: '',
            'Briefs done': 'figure',
            Tokens: 'figure wide',
            Time: 'figure wide',
            Started: 'figure',
          }}
        />
        <tbody>
          {shown.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </tbody>
      </table>
    </>
  )
}

function RunRow({ run }: { run: RunLine }) {
  return (
    <tr data-run={run.id}>
      <td className="status">
        <StateLabel state={runState(run.status)} />
      </td>
      <td className="goal">
        <Link to={addresses.run(run.id)}>{run.goalAnchor}</Link>
        {run.simulated && <Simulated />}
        {run.capKeys !== undefined && (
          <span className="label" title="Tiers with briefs so far">
            tiered {depthText(run.capKeys)}
          </span>
        )}
        <code className="muted wide">{run.id}</code>
        <WaitsFor reason={run.waitsFor} />
      </td>
      <td className="figure briefs">
        {otherOf(run) === 0 ? `${figure(doneOf(run))}/${figure(run.briefsTotal)}` : figure(doneOf(run))}
        {otherOf(run) > 0 && <span className="muted"> ({figure(otherOf(run))} replaced or cancelled)</span>}
        {run.briefsFailed > 0 && <span className="tone-bad"> {figure(run.briefsFailed)} failed</span>}
      </td>
      <td className="figure wide">{figure(run.inputTokens + run.outputTokens)}</td>
      <td className="figure wide">
        <Duration from={run.startedAt} to={run.endedAt} />
      </td>
      <td className="figure age">
        <Ago at={run.startedAt} />
      </td>
    </tr>
  )
}

/** In a tiered run, verified briefs count as done: they only wait for the others, and all are accepted at the end. */
const doneOf = ({ briefsDone, briefsVerified, capKeys }: RunLine): number =>
  capKeys === undefined ? briefsDone : briefsDone + briefsVerified

/** Counts the briefs of a run that is done which were replaced by others, or cancelled by the operator. */
const otherOf = (run: RunLine): number => (run.status === 'done' ? run.briefsTotal - doneOf(run) : 0)

/** Formats the tiers of a run: `T1–T5`, or each one if some are left out: `T1 T4 T5`. */
export function depthText(tiers: readonly string[]): string {
  const places = tiers.map((tier) => Number(tier.slice(1)))
  const names = tiers.map((tier) => tier.toUpperCase())
  const isWhole = places.every((place, index) => index === 0 || place === (places[index - 1] ?? 0) + 1)
  return isWhole && names.length > 2 ? `${names[0]}–${names.at(-1)}` : names.join(' ')
}
