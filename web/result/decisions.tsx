import type { SheetGate } from '../../src/work/proof-sheets/contract.ts'
import type { AnsweredQuestion } from '../../src/work/run-results/contract.ts'
import { gateNames } from '../decisions/labels.ts'
import { Sign, type Tone } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { VisibleLines, VisibleText } from '../parts/visible-text.tsx'

const toneOf = ({ status }: SheetGate): Tone =>
  status === 'approved' ? 'good' : status === 'pending' ? 'waiting' : 'bad'

/** Lists the decisions about a run: gates with their deciders, and answers. */
export function Decisions({ gates, answers }: { gates: readonly SheetGate[]; answers: readonly AnsweredQuestion[] }) {
  return (
    <ul className="plain">
      {gates.map((gate) => (
        <li key={gate.id} className="evidence">
          <Sign tone={toneOf(gate)} />
          <div className="grow">
            <p className="facts">
              <span>
                {gateNames[gate.gate] ?? `Gate ${gate.gate}`}: {gate.status}
                {gate.by !== null && (
                  <>
                    {' '}
                    by <VisibleText text={gate.by} />
                  </>
                )}
              </span>
              {gate.decidedAt !== null && (
                <span className="muted">
                  <Ago at={gate.decidedAt} />
                </span>
              )}
            </p>
            {(gate.reason ?? gate.note) !== null && (
              <p className="written">
                <VisibleLines text={gate.reason ?? gate.note ?? ''} />
              </p>
            )}
            {gate.approvals.length > 1 &&
              gate.approvals.map((approval, index) => (
                <p key={index} className="facts muted">
                  <span>
                    approved by <VisibleText text={approval.by} />
                  </span>
                  <Ago at={approval.at} />
                </p>
              ))}
            {gate.anomalies.map((anomaly, index) => (
              <p key={index} className="tone-waiting">
                shown: <VisibleText text={anomaly} />
              </p>
            ))}
          </div>
        </li>
      ))}
      {answers.map(({ id, text, answer, by, at }) => (
        <li key={id} className="evidence">
          <Sign tone="good" />
          <div className="grow">
            <p className="written">
              <VisibleLines text={text} />
            </p>
            <p className="facts">
              <span>
                answered
                {by !== null && (
                  <>
                    {' '}
                    by <VisibleText text={by} />
                  </>
                )}
                : <VisibleText text={answer} />
              </span>
              <span className="muted">
                <Ago at={at} />
              </span>
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}
