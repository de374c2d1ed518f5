import type { GateView } from '../../src/work/gates/contract.ts'
import { type Question, runIdOf } from '../../src/work/questions/contract.ts'
import { answerText, gateNames, gateState, questionState } from '../decisions/labels.ts'
import { MissionMemory } from '../memory/mission-memory.tsx'
import { Sign } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'

/** Lists all gates and questions of a run with their decisions, oldest first. */
export function DecisionsView({ inspection }: { inspection: Inspection }) {
  const { gates, questions } = inspection
  const all = [
    ...gates.map((gate) => ({ id: gate.id, at: gate.pendingSince, item: <GateItem gate={gate} /> })),
    ...questions.map((question) => ({
      id: question.id,
      at: question.createdAt,
      item: <QuestionItem question={question} />,
    })),
  ].toSorted((a, b) => a.at.localeCompare(b.at))
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Decisions">
      {all.length === 0 && (
        <p className="none muted">No decisions yet. Gates of the run and questions of its agents appear here.</p>
      )}
      <ol className="plain">
        {all.map(({ id, item }) => (
          <li key={id} className="evidence">
            {item}
          </li>
        ))}
      </ol>
      <MissionMemory missionId={inspection.run.missionId} exceptOf={inspection.run.id} />
    </div>
  )
}

function GateItem({ gate }: { gate: GateView }) {
  const state = gateState(gate)
  return (
    <>
      <Sign tone={state.tone} />
      <div className="grow">
        <p>
          <b>{gateNames[gate.gate] ?? gate.gate}</b>{' '}
          <span className={`tone-${state.tone}`}>
            {state.text}
            {gate.by !== null && ` by ${gate.by}`}
          </span>
        </p>
        {(gate.reason ?? gate.note) !== null && <p className="written">{gate.reason ?? gate.note}</p>}
        <details>
          <summary>Summary of the gate</summary>
          <p className="written">{[gate.summary.produced, gate.summary.next, ...gate.summary.anomalies].join('\n')}</p>
        </details>
        <p className="facts muted">
          <Ago at={gate.pendingSince} />
          <code>{gate.id}</code>
        </p>
      </div>
    </>
  )
}

/** Names the rungs in order; one that was skipped never had the question. */
const wayText = ({ askedBy, hops }: Question): string =>
  [
    askedBy,
    ...hops.map(({ to, skipped }) => (skipped === undefined ? to : `${to} (skipped: ${skipped.replace('_', ' ')})`)),
  ].join(' → ')

function QuestionItem({ question }: { question: Question }) {
  const state = questionState(question)
  return (
    <>
      <Sign tone={state.tone} />
      <div className="grow">
        <p className="written">
          <b>{question.text}</b>
        </p>
        <p>
          <span className={`tone-${state.tone}`}>{state.text}</span>
          {question.answeredBy !== null && ` by ${question.answeredBy}: `}
          {answerText(question)}
        </p>
        <p className="facts muted">
          {question.risk !== 'medium' && <span>{question.risk} risk</span>}
          {(question.hops.length > 1 || question.hops[0]?.to !== 'operator') && <span>{wayText(question)}</span>}
          {question.briefId !== null && <Link to={addresses.brief(runIdOf(question), question.briefId)}>brief</Link>}
          <Ago at={question.createdAt} />
          <code>{question.id}</code>
        </p>
      </div>
    </>
  )
}
