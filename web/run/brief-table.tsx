import { AgentName } from '../agents/name.tsx'
import { briefState } from '../briefs/state.ts'
import { LongTable } from '../parts/long-table.tsx'
import { StateLabel } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'

/** Lists the briefs of a run with their keys, agents and states. */
export function BriefTable({ inspection: { run, briefs } }: { inspection: Inspection }) {
  const rows = briefs.filter((brief) => brief.kind !== 'verify')
  if (rows.length === 0) return <p className="none muted">No briefs yet: the plan is being written.</p>
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Briefs">
      <LongTable
        label="Briefs"
        columns={{ Brief: '', Agent: '', State: '' }}
        rows={rows}
        keyOf={(brief) => brief.id}
        renderCells={(brief) => (
          <>
            <td>
              <Link to={addresses.brief(run.id, brief.id)}>{brief.title}</Link>{' '}
              <code className="muted">{brief.key}</code>
            </td>
            <td>
              <AgentName runId={run.id} personaId={brief.personaId} briefId={brief.id} />
            </td>
            <td>
              <StateLabel state={briefState(brief)} />
            </td>
          </>
        )}
      />
    </div>
  )
}
