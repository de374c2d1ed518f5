import { briefState } from '../briefs/state.ts'
import { LongTable } from '../parts/long-table.tsx'
import { StateLabel } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { money } from '../text.ts'

/** Lists the briefs of a run with their keys, agents and states. */
export function BriefTable({ inspection: { run, briefs } }: { inspection: Inspection }) {
  const rows = briefs.filter((brief) => brief.kind !== 'verify')
  if (rows.length === 0) return <p className="none muted">No briefs yet: the plan is being written.</p>
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Briefs">
      <LongTable
        label="Briefs"
        columns={{ Brief: '', State: '', Attempts: 'figure wide', Cost: 'figure wide' }}
        rows={rows}
        keyOf={(brief) => brief.id}
        renderCells={(brief) => (
          <>
            <td>
              <Link to={addresses.brief(run.id, brief.id)}>{brief.title}</Link>{' '}
              <code className="muted">{brief.key}</code>
            </td>
            <td>
              <StateLabel state={briefState(brief)} />
            </td>
            <td className="figure wide">{brief.attempts}</td>
            <td className="figure wide">{brief.costMicros === 0 ? null : money(brief.costMicros)}</td>
          </>
        )}
      />
    </div>
  )
}
