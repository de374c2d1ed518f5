import { Acceptance, type TierPlan, type Workstream } from '../../src/playbooks/tiered/contract.ts'
import { LongList } from '../parts/long-list.tsx'
import { LongTable } from '../parts/long-table.tsx'
import { RichText } from '../parts/rich-text.tsx'
import { Sign, type State, StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import type { Inspection } from '../queries.ts'
import { counted, figure } from '../text.ts'
import { documentsBelow } from './documents.ts'
import { pathText } from './nodes.ts'
import { workersText } from '../briefs/progress.ts'
import { Source } from './source.tsx'
import { type Stream, streamState, type Team, workstreamsInOrder } from './team.ts'

/** Shows the plan of T1: the workstreams, their order and tiers, and T1's critique of its own plan. */
export function PlanView({ inspection, team }: { inspection: Inspection; team: Team }) {
  const { plan } = team
  if (plan === null) return <p className="none muted">No plan yet: T1 writes the plan first, then criticises it.</p>
  return (
    <div className="scrolls paper" tabIndex={0} role="region" aria-label="Plan">
      {plan.content !== null && <PlanDetail plan={plan.content} team={team} />}
      <Amendments amendments={inspection.amendments} />
      <AcceptanceDecisions inspection={inspection} />
      <Source of={plan} />
    </div>
  )
}

function PlanDetail({ plan, team }: { plan: TierPlan; team: Team }) {
  const streams = new Map(team.streams.map((stream) => [stream.id, stream]))
  return (
    <>
      <p className="facts">
        <span>
          <b>{counted(plan.workstreams.length, 'workstream')}</b> in{' '}
          {counted(plan.parallelism.sequence.length, 'group')}, one group after the other
        </span>
        <span className="label">complexity {plan.complexity}</span>
        <span className="label">retries ×{plan.retry_budget_multiplier}</span>
        {team.isDraft && <span className="label">draft: not criticised by its author yet</span>}
      </p>
      <Lanes plan={plan} streams={streams} />
      <section className="part">
        <h2>Self-critique</h2>
        {plan.self_critique_summary === '' ? (
          <p className="muted">None yet.</p>
        ) : (
          <RichText text={plan.self_critique_summary} />
        )}
      </section>
      <section className="part">
        <h2>Workstreams</h2>
        <LongTable
          label="Workstreams"
          columns={{ Workstream: '', Path: '', Group: '', Domain: 'wide', Specialist: 'wide', State: '' }}
          rows={workstreamsInOrder(plan)}
          keyOf={({ id }) => id}
          height={48}
          renderCells={(planned) => <StreamCells planned={planned} stream={streams.get(planned.id)} />}
        />
      </section>
    </>
  )
}

/** Shows the groups from left to right in their order; the workstreams of one group run at the same time. */
function Lanes({ plan, streams }: { plan: TierPlan; streams: ReadonlyMap<string, Stream> }) {
  const planned = new Map(plan.workstreams.map((each) => [each.id, each]))
  return (
    <ol className="plain group-lanes" aria-label="Groups in order">
      <LongList items={plan.parallelism.sequence} atOnce={24}>
        {(group, index) => {
          const ids = plan.parallelism.groups[group] ?? []
          return (
            <li key={group} className="group-lane">
              <p className="muted">
                {index + 1} · {group}
                {ids.length > 1 && ` · ${figure(ids.length)} at the same time`}
              </p>
              <ul className="plain">
                <LongList items={ids} atOnce={8}>
                  {(id) => {
                    const state = stateOf(streams.get(id))
                    return (
                      <li key={id} className="stream-chip" title={planned.get(id)?.name}>
                        <Sign tone={state.tone} />
                        <span className="grow">
                          <b>{id}</b> <span className="unseen">{state.text}</span>
                          <span className="muted">{pathText(streams.get(id)?.path ?? [])}</span>
                        </span>
                      </li>
                    )
                  }}
                </LongList>
              </ul>
            </li>
          )
        }}
      </LongList>
    </ol>
  )
}

function StreamCells({ planned, stream }: { planned: Workstream; stream: Stream | undefined }) {
  const tasks = stream?.squads.flatMap((squad) => squad.tasks) ?? []
  const path = stream?.path ?? planned.tier_path
  const isAmended = path.join() !== planned.tier_path.join()
  return (
    <>
      <td>
        <b>{planned.id}</b> {planned.name !== planned.id && planned.name}
        {planned.notes !== '' && <p className="muted written notes">{planned.notes}</p>}
      </td>
      <td className={path.length <= 4 ? 'path' : undefined}>
        {pathText(path)}
        {isAmended && <p className="muted">planned as {pathText(planned.tier_path)}</p>}
      </td>
      <td>{planned.parallel_group}</td>
      <td className="wide">{planned.domain}</td>
      <td className="wide">{planned.t2_specialist ?? <span className="muted">none</span>}</td>
      <td>
        <StateLabel state={stateOf(stream)} />
        {tasks.length > 0 && <p className="muted">T4 workers: {workersText(tasks)}</p>}
      </td>
    </>
  )
}

const stateOf = (stream: Stream | undefined): State =>
  stream === undefined ? { tone: 'idle', text: 'pending' } : streamState(stream)

const amendmentState: Readonly<Record<string, string>> = {
  proposed: 'waits for your decision in the inbox',
  rejected: 'not made',
}

const acknowledgement = (by: string | null): string => (by === null ? 'not acknowledged yet' : `acknowledged by ${by}`)

/** Lists changes of tier paths since the plan, and those that agents propose: the operator decides about them at a gate. */
function Amendments({ amendments }: Pick<Inspection, 'amendments'>) {
  if (amendments.length === 0) return null
  return (
    <section className="part">
      <h2>Amendments</h2>
      <ul className="plain">
        <LongList items={amendments}>
          {({ id, workstream, beforePath, afterPath, proposedBy, reason, acknowledgedBy, status, at }) => (
            <li key={id} className="evidence">
              <div className="grow">
                <p>
                  <b>{workstream}</b>: {pathText(beforePath)} {status === 'applied' ? 'changed to' : 'should become'}{' '}
                  {pathText(afterPath)}
                </p>
                <p className="written">{reason}</p>
                <p className="facts muted">
                  <span>proposed by {proposedBy}</span>
                  <span>{amendmentState[status] ?? acknowledgement(acknowledgedBy)}</span>
                  <Ago at={at} />
                </p>
              </div>
            </li>
          )}
        </LongList>
      </ul>
    </section>
  )
}

/** Lists the decisions of T1 on the results that came back to it. */
function AcceptanceDecisions({ inspection }: { inspection: Inspection }) {
  const decisions = [...documentsBelow(inspection, 'acceptance/', Acceptance)]
  if (decisions.length === 0) return null
  return (
    <section className="part">
      <h2>Acceptance</h2>
      <ul className="plain">
        {decisions.map(([scope, read]) => (
          <li key={scope} className="evidence">
            <Sign tone={read.content?.decision === 'accept' ? 'good' : 'bad'} />
            <div className="grow">
              <p>
                <b>{scope}</b>: {read.content === null ? 'not readable' : `${read.content.decision}. `}
                {read.content?.reason}
              </p>
              {read.content?.decision === 'reject' && (
                <p className="muted">
                  {read.content.action === 'rework' ? 'done again' : 'planned again'}:{' '}
                  {read.content.workstreams.length === 0 ? 'all workstreams' : read.content.workstreams.join(', ')}
                </p>
              )}
              <Source of={read} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
