import { AgentName } from '../agents/name.tsx'
import { isAgentAtWork } from '../../src/kernel/attempt-state.ts'
import { AfterDemo } from '../demos/guide.tsx'
import { briefState, attemptState } from '../briefs/state.ts'
import { Skeleton } from '../parts/notices.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import { createLazy } from '../parts/lazy.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { figure } from '../text.ts'
import { LatestLines } from './latest.tsx'
import { RunRepository } from './repository.tsx'

/** Shows the result of an ended run, or the agents at work; then failed briefs and the repository. */
export function Overview({ inspection, isWhole }: { inspection: Inspection; isWhole: boolean }) {
  const { run } = inspection
  return (
    <div className="overview scrolls" tabIndex={0} role="region" aria-label="Overview">
      <AfterDemo run={run} />
      {run.endedAt === null ? (
        <>
          {run.summary !== null && <p className="summary">{run.summary}</p>}
          {isWhole ? <AtWork inspection={inspection} /> : <Skeleton lines={3} label="the agents at work" />}
        </>
      ) : (
        <Result runId={run.id} summary={run.summary} />
      )}
      <Troubles inspection={inspection} />
      {run.endedAt === null && <LatestLines runId={run.id} />}
      <About inspection={inspection} />
    </div>
  )
}

const Result = createLazy({ name: 'The result' }, async () => (await import('../result/view.tsx')).Result)

const most = 50

/** Lists the attempts whose agents work now. */
function AtWork({ inspection: { run, briefs, attempts } }: { inspection: Inspection }) {
  const working = attempts.filter(isAgentAtWork)
  const known = new Map(briefs.map((brief) => [brief.id, brief]))
  return (
    <section className="part" aria-label="At work">
      <h2>At work</h2>
      {working.length === 0 && <p className="muted">No agent is at work.</p>}
      <ul className="plain">
        {working.slice(0, most).map((attempt) => (
          <li key={attempt.id} className="evidence">
            <p className="facts">
              <StateLabel state={attemptState(attempt)} />
              <Link to={addresses.brief(run.id, attempt.briefId)}>{known.get(attempt.briefId)?.title}</Link>
              <span className="muted">
                <AgentName
                  runId={run.id}
                  personaId={known.get(attempt.briefId)?.personaId ?? 0}
                  briefId={attempt.briefId}
                />
              </span>
              {attempt.startedAt !== null && (
                <span className="figure muted">
                  <Duration from={attempt.startedAt} to={null} />
                </span>
              )}
              <Link to={addresses.output(run.id, attempt.briefId, attempt.id)}>Output</Link>
            </p>
          </li>
        ))}
      </ul>
      <Rest count={working.length - most} />
    </section>
  )
}

/** Lists the briefs that failed or wait for an answer. */
function Troubles({ inspection: { run, briefs } }: { inspection: Inspection }) {
  const troubled = briefs.filter(({ status }) => status === 'failed' || status === 'blocked')
  if (troubled.length === 0) return null
  return (
    <section className="part" aria-label="Failed and blocked briefs">
      <h2>Failed and blocked</h2>
      <ul className="plain">
        {troubled.slice(0, most).map((brief) => (
          <li key={brief.id} className="evidence">
            <p className="facts">
              <Link to={addresses.brief(run.id, brief.id)}>{brief.title}</Link>
              <StateLabel state={briefState(brief)} />
            </p>
          </li>
        ))}
      </ul>
      <Rest count={troubled.length - most} />
    </section>
  )
}

const Rest = ({ count }: { count: number }) =>
  count > 0 ? <p className="muted">{figure(count)} more are in the tree.</p> : null

function About({ inspection: { run } }: { inspection: Inspection }) {
  return (
    <section className="part" aria-label="About this run">
      <h2>About this run</h2>
      <p className="objective">{run.goalAnchor}</p>
      <p className="facts">
        <span className="muted">
          started <Ago at={run.startedAt} />
        </span>
        {run.endedAt !== null && (
          <span className="muted">
            ended <Ago at={run.endedAt} />
          </span>
        )}
        <code className="muted">{run.id}</code>
      </p>
      <RunRepository run={run} />
    </section>
  )
}
