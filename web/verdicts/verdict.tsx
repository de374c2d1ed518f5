import { checkedText } from '../../src/kernel/checked.ts'
import type { Verdict } from '../../src/work/verdicts/contract.ts'
import { AgentName } from '../agents/name.tsx'
import { Sign, type State, StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'

const verdictStates: Record<Verdict['verdict'], State> = {
  pass: { tone: 'good', text: 'pass' },
  partial: { tone: 'bad', text: 'partial' },
  fail: { tone: 'bad', text: 'fail' },
}

export const verdictState = (verdict: Pick<Verdict, 'verdict'>): State => verdictStates[verdict.verdict]

/** Shows one verdict: the checks, missing evidence, issues, the verifier and the verified agent. */
export function VerdictItem({ verdict }: { verdict: Verdict }) {
  const state = verdictState(verdict)
  return (
    <li className="evidence" data-verdict={verdict.verdict}>
      <Sign tone={state.tone} />
      <div className="grow">
        <p>
          <span className={`tone-${state.tone}`}>{state.text}</span> for attempt {verdict.attempt}, by{' '}
          <AgentName runId={verdict.runId} personaId={verdict.verifierPersonaId} briefId={verdict.verifierBriefId} />
          {verdict.notes !== '' && `: ${verdict.notes}`}
        </p>
        {[...verdict.missingEvidence.map((text) => `missing: ${text}`), ...verdict.issues].map((text, index) => (
          <p key={index} className="issue">
            {text}
          </p>
        ))}
        {verdict.checked.length > 0 && (
          <details>
            <summary>Checked {counted(verdict.checked.length, 'item')}</summary>
            <ul className="plain">
              {verdict.checked.map((item, index) => (
                <li key={index}>{checkedText(item)}</li>
              ))}
            </ul>
          </details>
        )}
        <p className="facts muted">
          <span>
            work of <AgentName runId={verdict.runId} personaId={verdict.doerPersonaId} briefId={verdict.briefId} />
          </span>
          <Link to={addresses.brief(verdict.runId, verdict.verifierBriefId)}>verification</Link>
          <Ago at={verdict.at} />
        </p>
      </div>
    </li>
  )
}

export const VerdictLine = ({ verdict }: { verdict: Verdict }) => <StateLabel state={verdictState(verdict)} />
