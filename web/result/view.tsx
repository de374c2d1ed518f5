import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import type { Claim } from '../../src/work/proof-sheets/contract.ts'
import type { RunResult, VerifiedBy } from '../../src/work/run-results/contract.ts'
import { Disclosure } from '../parts/disclosure.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { Sign, type Tone } from '../parts/state.tsx'
import { VisibleLines, VisibleText } from '../parts/visible-text.tsx'
import { addresses, Link } from '../router.tsx'
import { counted, figure } from '../text.ts'
import { ClaimItem } from './claim.tsx'
import { Decisions } from './decisions.tsx'
import { FileList } from './file-list.tsx'
import { ProofItem } from './proof-item.tsx'
import { resultQuery } from './queries.ts'
import { ShareReport } from './share.tsx'
import { decisiveProofs } from './shown-proof.ts'
import { AuthorName } from './verdict-item.tsx'

/** The result of a run: one sentence, the files, the proofs, the verifiers and the gaps. */
export function Result({ runId, summary }: { runId: string; summary: string | null }) {
  const found = useInfiniteQuery(resultQuery(runId))
  const first = found.data?.pages[0]
  if (first === undefined)
    return found.isError ? (
      <Failure error={found.error} retry={() => void found.refetch()} name="The result" />
    ) : (
      <Skeleton lines={6} label="the result" />
    )
  const claims = found.data?.pages.flatMap((page) => page.claims) ?? []
  return (
    <section className="result" aria-label="Result">
      <ResultHead result={first} summary={summary} />
      <FileList result={first} />
      <Proofs result={first} />
      <NotProven result={first} />
      {first.total > 1 && (
        <Claims
          claims={claims}
          result={first}
          more={found.hasNextPage ? () => void found.fetchNextPage() : null}
          isFetching={found.isFetchingNextPage}
        />
      )}
      <DecisionsPart result={first} />
      <p className="facts result-actions">
        {first.run.endedAt !== null && (
          <>
            <Link to={addresses.newRunFrom(runId)}>Run again…</Link>
            <Link to={addresses.fork(runId)}>Fork…</Link>
          </>
        )}
        <ShareReport runId={runId} />
        <Link to={addresses.proof(runId)}>Open the proof sheet</Link>
      </p>
    </section>
  )
}

const toneOf = ({ run }: RunResult): Tone =>
  run.endedAt === null ? 'working' : run.status === 'done' ? 'good' : run.status === 'failed' ? 'bad' : 'off'

/** The header of the page has state, duration and cost; here are the words, and their author. */
function ResultHead({ result, summary }: { result: RunResult; summary: string | null }) {
  const { sentence, cost, left } = result
  return (
    <div className="part">
      <h2 className="sentence">
        <Sign tone={toneOf(result)} />
        <span className="written">
          {sentence === null ? 'No agent has reported.' : <VisibleLines text={sentence.text} />}
        </span>
      </h2>
      <p className="facts">
        <Source result={result} />
        {summary !== null && sentence?.source !== 'run' && (
          <span>
            <VisibleText text={summary} />
          </span>
        )}
        {left !== null && <span>{left}</span>}
        <span className="figure muted">{figure(cost.tokens)} tokens</span>
      </p>
    </div>
  )
}

function Source({ result: { sentence } }: { result: RunResult }): ReactNode {
  if (sentence === null || sentence.source === 'run') return null
  const words = sentence.source === 'agent' ? 'in the words of' : 'accepted by'
  return (
    <span className="muted">
      {words} {sentence.by === null ? 'its agent' : <AuthorName author={sentence.by} />}
    </span>
  )
}

const shownKeys = 5

/** Names everything that was not checked or not proven; a result without gaps says so. */
function NotProven({ result: { gaps, isProven, statement } }: { result: RunResult }) {
  if (isProven)
    return (
      <p className="stated tone-good">
        <Sign tone="good" />
        <VisibleText text={statement} />
      </p>
    )
  return (
    <section className="part" aria-label="Not proven">
      <h3>Not proven</h3>
      <ul className="plain warnings">
        {gaps.map(({ text, briefs }, index) => (
          <li key={index}>
            <Sign tone="waiting" />
            <span>
              <VisibleText text={text} />
              {briefs.length > 0 && (
                <span className="muted">
                  {' '}
                  ({briefs.slice(0, shownKeys).join(', ')}
                  {briefs.length > shownKeys && ' …'})
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const mostProofs = 50

function Proofs({ result }: { result: RunResult }) {
  const { verifiedBy } = result
  const { merged, proofs } = decisiveProofs(result)
  // Of several briefs without a merged result, each proof stands with its brief; here are those that failed.
  const apart = merged === null && result.total > 1
  const shown = apart ? proofs.filter(({ passed }) => !passed) : proofs
  const held = proofs.filter(({ passed }) => passed).length
  return (
    <section className="part" aria-label="Proofs">
      <h3>Proofs</h3>
      {proofs.length === 0 && <p className="muted">Nothing was checked.</p>}
      {apart && proofs.length > 0 && (
        <p>
          {figure(held)} of {counted(proofs.length, 'proof')} {held === 1 ? 'holds' : 'hold'}, each brief by itself
          {result.next !== null && `; of the first ${counted(result.claims.length, 'brief')}`}
        </p>
      )}
      <ul className="plain proof-list">
        {shown.slice(0, mostProofs).map((proof, index) => (
          <ProofItem key={index} proof={proof} />
        ))}
      </ul>
      {shown.length > mostProofs && (
        <p className="muted">and {figure(shown.length - mostProofs)} more on the proof sheet</p>
      )}
      <p className="facts">
        {verifiedBy.length === 0 ? (
          <span className="muted">No verifier judged this work.</span>
        ) : (
          verifiedBy.map((verifier) => <Verifier key={verifier.persona} verifier={verifier} />)
        )}
      </p>
    </section>
  )
}

function Verifier({ verifier }: { verifier: VerifiedBy }) {
  const { passed, failed } = verifier
  return (
    <span className="stated">
      <Sign tone={failed > 0 ? 'bad' : 'good'} />
      <span>
        {passed > 0 ? 'verified by' : 'judged by'} <AuthorName author={verifier} />
        <span className="muted">
          {' '}
          {[
            ...(passed > 0 ? [`${counted(passed, 'brief')} passed`] : []),
            ...(failed > 0 ? [`${figure(failed)} not`] : []),
          ].join(', ')}
        </span>
      </span>
    </span>
  )
}

function Claims({
  claims,
  result: { run, total },
  more,
  isFetching,
}: {
  claims: readonly Claim[]
  result: RunResult
  more: (() => void) | null
  isFetching: boolean
}) {
  return (
    <section className="part" aria-label="Briefs">
      <h3>
        Briefs <span className="muted">{figure(total)}</span>
      </h3>
      {claims.map((claim) => (
        <ClaimItem key={claim.briefId} runId={run.id} claim={claim} />
      ))}
      {more !== null && (
        <p>
          <button type="button" onClick={more} disabled={isFetching}>
            {isFetching ? 'Loading' : `Show more of ${counted(total, 'brief')}`}
          </button>
        </p>
      )}
    </section>
  )
}

function DecisionsPart({ result: { gates, answers } }: { result: RunResult }) {
  if (gates.length + answers.length === 0) return null
  return (
    <section className="part" aria-label="Decisions">
      <Disclosure summary={<h3>{counted(gates.length + answers.length, 'decision')}</h3>}>
        {() => <Decisions gates={gates} answers={answers} />}
      </Disclosure>
    </section>
  )
}
