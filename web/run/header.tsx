import { BoxLabel } from '../box/attempt-box.tsx'
import { Heading } from '../parts/heading.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Duration } from '../parts/time.tsx'
import type { Inspection } from '../queries.ts'
import { Cost } from '../runs/cost.tsx'
import { Simulated } from '../runs/simulated.tsx'
import { runState } from '../runs/state.ts'
import { WaitsFor } from '../runs/waits-for.tsx'
import { Continuations } from '../again/again.tsx'
import { RunControl } from './control.tsx'
import { RepositoryName } from './repository.tsx'

/** Shows the goal, the state, the limits of its meaning and the controls in one line. The overview has the rest. */
export function RunHeader({ inspection }: { inspection: Inspection }) {
  const { run, attempts, state, decisions } = inspection
  return (
    <header className="run-header">
      <div className="run-title" title={run.goalAnchor}>
        <Heading title={run.goalAnchor} />
      </div>
      <p className="facts">
        <StateLabel state={runState(state)} />
        {run.simulated && <Simulated />}
        {attempts.length > 0 && <BoxLabel boxed={attempts.every((attempt) => attempt.boxed)} />}
        <span className="figure">
          <Duration from={run.startedAt} to={run.endedAt} />
        </span>
        <Cost run={run} limit={run.configuration.costLimit} />
        <RepositoryName run={run} />
      </p>
      <RunControl run={run} />
      <Continuations inspection={inspection} />
      {/* The cards of pending decisions give their reason themselves. */}
      {decisions === 0 && <WaitsFor standing={inspection} />}
    </header>
  )
}
