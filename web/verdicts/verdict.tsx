import { useQuery } from '@tanstack/react-query'

import { checkedText } from '../../src/kernel/checked.ts'
import type { Verdict } from '../../src/work/verdicts/contract.ts'
import { personasQuery } from '../org/queries.ts'
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
          <AgentName personaId={verdict.verifierPersonaId} agentId={verdict.verifierId} />
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
            work of <AgentName personaId={verdict.doerPersonaId} agentId={verdict.doerId} />
          </span>
          <Link to={addresses.brief(verdict.runId, verdict.verifierBriefId)}>verification</Link>
          <Ago at={verdict.at} />
        </p>
      </div>
    </li>
  )
}

/** Names an agent, with its persona if it has one. */
export function AgentName({ personaId, agentId }: { personaId: number; agentId: number }) {
  const persona = useQuery(personasQuery()).data?.find((each) => each.personaId === personaId)
  return (
    <>
      {persona !== undefined && (
        <>
          <Link to={addresses.persona(persona.slug)}>{persona.name}</Link>,{' '}
        </>
      )}
      agent {agentId}
    </>
  )
}

export const VerdictLine = ({ verdict }: { verdict: Verdict }) => <StateLabel state={verdictState(verdict)} />
