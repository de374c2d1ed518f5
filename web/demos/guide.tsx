import { useQuery } from '@tanstack/react-query'

import type { DemoGuide as DemoGuideData, DemoName } from '../../src/daemon/demos/contract.ts'
import { operations } from '../../src/operations/all.contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { call } from '../client.ts'
import { useSecond } from '../clock.ts'
import { Word } from '../words/word.tsx'
import { type Inspection, keys } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'
import { standingOf } from './standing.ts'
import { Yours } from './yours.tsx'

/** Explains a demonstration while it runs, counts down to its own decision of a gate, and names the author of the last one. */
export function DemoGuide({ inspection: { run, gates, briefs } }: { inspection: Inspection }) {
  const guide = useGuide(run)
  if (guide === null) return null
  const standing = standingOf(guide.gate, gates)
  const claims = guide.name === 'liar' ? briefs.find(({ kind }) => kind !== 'verify') : undefined
  return (
    <aside className="guide" aria-label="About this demonstration">
      {run.endedAt !== null ? (
        <p>
          That was <Word of="simulated" />. {endings[guide.name]}{' '}
          {claims !== undefined && <Link to={addresses.brief(run.id, claims.id)}>Read each claim and its refusal</Link>}
        </p>
      ) : (
        <>
          <p>
            {stories[guide.name]} Nothing is real yet: the agents are <Word of="simulated" />, no model is called.
          </p>
          {guide.gate !== null && standing === null ? (
            <p>
              <b>
                Your turn: this is a <Word of="gate" />.
              </b>{' '}
              Read what it shows and approve it. <Countdown until={guide.gate.approvesAt} />
            </p>
          ) : (
            standing !== '' && <p className="muted">{standing}</p>
          )}
        </>
      )}
    </aside>
  )
}

/** Shows the way to a real run at the end of a demonstration, and nothing on any other run. */
export function AfterDemo({ run }: { run: Run }) {
  const guide = useGuide(run)
  return guide === null || run.endedAt === null ? null : <Yours watched={guide.name} />
}

function useGuide(run: Run): (DemoGuideData & { name: DemoName }) | null {
  const guide = useQuery({
    // A gate that opens or is decided changes the run, and with it the guide.
    queryKey: [...keys.run(run.id), 'demo', run.gatesPending, run.endedAt],
    queryFn: ({ signal }) => call(operations.demo.guide, { runId: run.id }, signal),
    enabled: run.simulated,
    placeholderData: (before) => before,
  }).data
  return !run.simulated || guide === undefined || guide.name === null ? null : { ...guide, name: guide.name }
}

/** Announced once and not every second: a screen reader would speak of nothing else. */
function Countdown({ until }: { until: string }) {
  const left = Math.max(0, Math.ceil((Date.parse(until) - useSecond()) / 1_000))
  return (
    <span className="figure" aria-live="off">
      {left === 0
        ? 'The demonstration approves it now.'
        : `In ${counted(left, 'second')} the demonstration approves it itself.`}
    </span>
  )
}

const stories = {
  tiered: 'Five tiers are building this: one plans, others design, divide, build and verify.',
  direct: 'One agent writes a poem and a page, and forgets a file.',
  liar: 'An agent shall mend a sum. Read what it claims, and what the evidence says.',
}

const endings = {
  tiered: 'A team of agents planned, built and verified, and Agency checked each claim.',
  direct: 'The first attempt reported “done” without a file; the evidence found it.',
  liar: 'Two claims of “done” were false; Agency ran the test itself and refused both.',
}
