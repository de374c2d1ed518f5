import { useInfiniteQuery } from '@tanstack/react-query'

import type { ProofSheet } from '../../src/work/proof-sheets/contract.ts'
import { BoxLabel } from '../box/attempt-box.tsx'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { Sign, type State, StateLabel, type Tone } from '../parts/state.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import { VisibleLines, VisibleText } from '../parts/visible-text.tsx'
import { Commit } from '../pull-requests/commit.tsx'
import { addresses, Link } from '../router.tsx'
import { Simulated } from '../runs/simulated.tsx'
import { runState } from '../runs/state.ts'
import { counted, figure } from '../text.ts'
import { ClaimItem } from './claim.tsx'
import { Decisions } from './decisions.tsx'
import { ProofItem } from './proof-item.tsx'
import { proofSheetQuery } from './queries.ts'
import { proofOfFinding } from './shown-proof.ts'

/** The proof sheet of a run, with nothing folded, so that it can be read from the top and printed. */
export function ProofSheetPage({ runId }: { runId: string }) {
  const found = useInfiniteQuery(proofSheetQuery(runId))
  const sheet = found.data?.pages[0]
  if (sheet === undefined)
    return (
      <>
        <Heading title="Proof sheet" />
        {found.isError ? (
          <Failure error={found.error} retry={() => void found.refetch()} name="The proof sheet" />
        ) : (
          <Skeleton lines={10} label="the proof sheet" />
        )}
      </>
    )
  const claims = found.data?.pages.flatMap((page) => page.claims) ?? []
  return (
    <article className="sheet">
      <SheetHead sheet={sheet} />
      <Gaps sheet={sheet} />
      <MergedResult sheet={sheet} />
      <Repeats sheet={sheet} />
      {sheet.gates.length > 0 && (
        <section className="part" aria-label="Decisions">
          <h2>Decisions</h2>
          <Decisions gates={sheet.gates} answers={[]} />
        </section>
      )}
      {sheet.acceptances.length > 0 && (
        <section className="part" aria-label="Accepted parts">
          <h2>Accepted parts</h2>
          {sheet.acceptances.map((text, index) => (
            <p key={index} className="written">
              <VisibleLines text={text} />
            </p>
          ))}
        </section>
      )}
      <section className="part" aria-label="Claims">
        <h2>
          Claims{' '}
          <span className="muted">
            {claims.length < sheet.total ? `${figure(claims.length)} of ${figure(sheet.total)}` : figure(sheet.total)}
          </span>
        </h2>
        {claims.map((claim) => (
          <ClaimItem key={claim.briefId} runId={sheet.run.id} claim={claim} folded={false} />
        ))}
        {found.hasNextPage && (
          <p>
            <button type="button" onClick={() => void found.fetchNextPage()} disabled={found.isFetchingNextPage}>
              {found.isFetchingNextPage ? 'Loading' : 'Show more claims'}
            </button>
          </p>
        )}
      </section>
    </article>
  )
}

function SheetHead({ sheet: { run, isProven, statement } }: { sheet: ProofSheet }) {
  return (
    <header className="run-header">
      <div className="grow">
        <Heading title={`Proof sheet: ${run.goal}`} />
        <p className={`stated ${isProven ? 'tone-good' : ''}`}>
          <Sign tone={isProven ? 'good' : 'waiting'} />
          <span className="written">
            <VisibleText text={statement} />
          </span>
        </p>
        <p className="facts">
          <Link to={addresses.run(run.id)}>
            <code>{run.id}</code>
          </Link>
          <StateLabel state={endOf(run.status)} />
          <span className="muted">{run.playbook}</span>
          {run.simulated && <Simulated />}
          {run.boxed !== null && <BoxLabel boxed={run.boxed} />}
          <span className="figure">
            <Duration from={run.startedAt} to={run.endedAt} />
          </span>
          <span className="muted">
            started <Ago at={run.startedAt} />
          </span>
        </p>
        <Code run={run} />
      </div>
      <button type="button" className="screen-only" onClick={() => window.print()}>
        Print
      </button>
    </header>
  )
}

/** The sheet of a run that is still open says so; the page of the run names the reason. */
const endOf = (status: ProofSheet['run']['status']): State =>
  status === 'done' || status === 'failed' || status === 'cancelled'
    ? runState(status)
    : { tone: 'working', text: 'not ended' }

function Code({ run: { repository, result, merged } }: { run: ProofSheet['run'] }) {
  if (repository === null)
    return <p className="muted">There is no repository: the delivered work is not kept as a commit.</p>
  return (
    <p className="facts">
      <code>
        <VisibleText text={repository.path} />
      </code>
      <span className="muted">
        from <Commit id={repository.base} /> of <VisibleText text={repository.branch} />
        {result !== null && (
          <>
            {' '}
            to <Commit id={result} />
          </>
        )}
      </span>
      <span>
        {merged === null ? (
          'not merged'
        ) : (
          <>
            merged as <Commit id={merged} />
          </>
        )}
      </span>
    </p>
  )
}

function Gaps({ sheet: { gaps } }: { sheet: ProofSheet }) {
  if (gaps.length === 0) return null
  return (
    <section className="part" aria-label="Not proven">
      <h2>Not proven</h2>
      <ul className="plain warnings">
        {gaps.map(({ text, briefs }, index) => (
          <li key={index}>
            <Sign tone="waiting" />
            <span>
              <VisibleText text={text} />
              {briefs.length > 0 && <span className="muted"> ({briefs.join(', ')})</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const toneOf = (status: string): Tone => (status === 'passed' ? 'good' : status === 'failed' ? 'bad' : 'waiting')
const causes = { merge: 'before the gate', landing: 'before it landed' } as const
const subjects = { merged: 'merged commit', result: 'result', branch: 'target branch' } as const

function MergedResult({ sheet: { proofs } }: { sheet: ProofSheet }) {
  if (proofs.length === 0) return null
  return (
    <section className="part" aria-label="Merged result">
      <h2>Merged result</h2>
      {proofs.map((proof) => (
        <div key={proof.id} className="part">
          <p className="facts">
            <StateLabel state={{ tone: toneOf(proof.status), text: proof.status }} />
            <Commit id={proof.head} />
            <span className="muted">{causes[proof.cause]}</span>
            <span className="muted">
              <Ago at={proof.createdAt} />
            </span>
          </p>
          {proof.status !== 'passed' && proof.detail !== null && (
            <p>
              <VisibleText text={proof.detail} />
            </p>
          )}
          <ul className="plain proof-list">
            {proof.findings.map((finding, index) => (
              <ProofItem key={index} proof={proofOfFinding(finding, proof)} folded={false} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

function Repeats({ sheet: { repeats } }: { sheet: ProofSheet }) {
  if (repeats.length === 0) return null
  return (
    <section className="part" aria-label="Checked again later">
      <h2>Checked again later</h2>
      {repeats.map((repeat) => (
        <div key={repeat.id} className="part">
          <p className="facts">
            <StateLabel state={{ tone: toneOf(repeat.status), text: repeat.status }} />
            <Commit id={repeat.commitId} />
            <span className="muted">{subjects[repeat.subject]}</span>
            <span className="muted">{counted(repeat.findings.length, 'item')} of evidence</span>
            <span className="muted">
              <Ago at={repeat.createdAt} />
            </span>
          </p>
          {repeat.detail !== null && (
            <p>
              <VisibleText text={repeat.detail} />
            </p>
          )}
        </div>
      ))}
    </section>
  )
}
