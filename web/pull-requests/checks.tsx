import type { PullRequestView } from '../../src/work/pull-requests/contract.ts'
import { Sign, StateLabel } from '../parts/state.tsx'
import { addresses, Link } from '../router.tsx'

type Checks = PullRequestView['checks']

/** `4 of 4 checks passed` */
export function CheckCount({ checks }: { checks: Checks }) {
  const passed = checks.filter((check) => check.passed).length
  if (checks.length === 0) return <span className="muted">no checks</span>
  const all = passed === checks.length
  return (
    <StateLabel
      state={{
        tone: all ? 'good' : 'bad',
        text: `${passed} of ${checks.length} ${checks.length === 1 ? 'check' : 'checks'} passed`,
      }}
    />
  )
}

const maxChecks = 100

/** Lists the checks, failed ones first. */
export function CheckList({ checks, runId }: { checks: Checks; runId: string }) {
  const ordered = checks.toSorted((a, b) => Number(a.passed) - Number(b.passed))
  return (
    <ul className="plain checks">
      {ordered.slice(0, maxChecks).map((check, index) => (
        <li key={index} className="evidence">
          <Sign tone={check.passed ? 'good' : 'bad'} />
          <div className="grow">
            <Link to={addresses.brief(runId, check.briefId)}>
              <code>{check.what}</code>
            </Link>{' '}
            <span className="muted">{check.detail}</span>
          </div>
        </li>
      ))}
      {ordered.length > maxChecks && <li className="muted">and {ordered.length - maxChecks} more</li>}
    </ul>
  )
}
