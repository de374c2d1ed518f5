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
        <StateLabel state={runState(run.state)} />
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
        <WaitsFor standing={run} />
      </td>
      <td className="figure briefs">
        {figure(run.progress.done)}/{figure(run.progress.total)}
        {run.progress.dropped > 0 && (
          <span className="muted" title="Replaced by other briefs, or cancelled on purpose">
            {' '}
            {figure(run.progress.dropped)} dropped
          </span>
        )}
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

/** Formats the tiers of a run: `T1–T5`, or each one if some are left out: `T1 T4 T5`. */
export function depthText(tiers: readonly string[]): string {
  const places = tiers.map((tier) => Number(tier.slice(1)))
  const names = tiers.map((tier) => tier.toUpperCase())
  const isWhole = places.every((place, index) => index === 0 || place === (places[index - 1] ?? 0) + 1)
  return isWhole && names.length > 2 ? `${names[0]}–${names.at(-1)}` : names.join(' ')
}
