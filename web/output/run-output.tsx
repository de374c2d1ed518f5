import type { Attempt } from '../../src/work/attempts/contract.ts'
import { isAgentAtWork } from '../../src/kernel/attempt-state.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import { attemptState } from '../briefs/state.ts'
import { createLazy } from '../parts/lazy.tsx'
import { StateLabel } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { setQuery } from '../router.tsx'

const OutputView = createLazy({ name: 'The output' }, async () => (await import('./view.tsx')).OutputView)

/**
 * Shows the output of one attempt: the chosen one, else the running one of the chosen brief, else the newest of the
 * run.
 */
export function RunOutput({
  inspection,
  brief,
  chosen,
}: {
  inspection: Inspection
  brief: Brief | undefined
  chosen: string | null
}) {
  const { attempts, briefs } = inspection
  const titles = new Map(briefs.map((each) => [each.id, each.title]))
  const attempt = attemptToShow(attempts, brief?.id ?? null, chosen)
  if (attempt === undefined)
    return <p className="none muted">No agent has started yet. The output of agents appears here while they run.</p>
  return (
    <>
      <p className="facts view-bar">
        <select
          aria-label="Attempt"
          value={attempt.id}
          onChange={(event) => setQuery('attempt', event.target.value)}
          className="which"
        >
          {attempts.slice(-most).map((each) => (
            <option key={each.id} value={each.id}>
              {titles.get(each.briefId)}: attempt {each.fence}
            </option>
          ))}
        </select>
        <StateLabel state={attemptState(attempt)} />
        {attempt.exitCode !== null && <span className="muted">exit {attempt.exitCode}</span>}
        <code className="muted wide">agency output {attempt.id} --follow</code>
      </p>
      <OutputView key={attempt.id} attemptId={attempt.id} />
    </>
  )
}

const most = 500

export function attemptToShow(
  attempts: readonly Attempt[],
  briefId: string | null,
  chosen: string | null,
): Attempt | undefined {
  const named = attempts.find((attempt) => attempt.id === chosen)
  if (named !== undefined) return named
  const ofBrief = attempts.filter((attempt) => briefId === null || attempt.briefId === briefId)
  return ofBrief.findLast(isAgentAtWork) ?? ofBrief.at(-1) ?? attempts.at(-1)
}
