import { DecisionCards } from '../decisions/cards.tsx'
import { briefOf, pendingDecisions } from '../decisions/items.ts'
import { StateLabel } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'

/**
 * Shows the pending decisions of the run. If a brief is selected, only its own are open; the others are one link away.
 */
export function RunWaiting({
  inspection,
  briefId,
  slim,
}: {
  inspection: Inspection
  briefId: string | null
  slim: boolean
}) {
  const all = pendingDecisions(inspection.gates, inspection.questions)
  const near = briefId === null ? all : all.filter((item) => briefOf(item) === briefId)
  const others = all.length - near.length
  return (
    <section className="run-waiting" data-slim={slim || undefined} aria-label="Pending decisions">
      <DecisionCards items={near} within={inspection.run} />
      {others > 0 && (
        <p className="facts">
          <StateLabel
            state={{
              tone: 'waiting',
              text: `${counted(others, 'other decision')} of this run ${others === 1 ? 'waits' : 'wait'} for you`,
            }}
          />
          <Link to={addresses.run(inspection.run.id)}>Show</Link>
        </p>
      )}
    </section>
  )
}
