import type { ReactNode } from 'react'

import { checkedInText } from '../../src/kernel/checked-in.ts'
import { Disclosure } from '../parts/disclosure.tsx'
import { Hash } from '../parts/hash.tsx'
import { Sign } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { VisibleLines, VisibleText } from '../parts/visible-text.tsx'
import { Commit } from '../pull-requests/commit.tsx'
import { duration } from '../text.ts'
import { lastLine, type ShownProof } from './shown-proof.ts'

/** One proof in a line; its output, hash and place are folded below it, or stand open for a reader on paper. */
export function ProofItem({ proof, folded = true }: { proof: ShownProof; folded?: boolean }) {
  const line = <ProofLine proof={proof} />
  return (
    <li className="proof" data-passed={proof.passed}>
      {folded ? (
        <Disclosure summary={line} open={!proof.passed}>
          {() => <ProofFacts proof={proof} />}
        </Disclosure>
      ) : (
        <>
          <div className="proof-line">{line}</div>
          <ProofFacts proof={proof} />
        </>
      )}
    </li>
  )
}

function ProofLine({ proof }: { proof: ShownProof }): ReactNode {
  const last = lastLine(proof.output)
  return (
    <>
      <Sign tone={proof.passed ? 'good' : 'bad'} />{' '}
      <code>
        <VisibleText text={proof.what} />
      </code>{' '}
      {proof.passed ? (
        last !== null && (
          <span className="muted">
            “<VisibleText text={last} />”
          </span>
        )
      ) : (
        <span className="tone-bad">
          <VisibleText text={proof.detail} />
        </span>
      )}
    </>
  )
}

function ProofFacts({ proof }: { proof: ShownProof }) {
  const { place, boxed, at, sha256, setup, durationMs, commit } = proof
  return (
    <div className="proof-facts">
      <p className="facts muted">
        <span>
          <VisibleText text={proof.detail} />
        </span>
        {proof.expects.length > 0 && (
          <span>
            expected: <VisibleText text={proof.expects.join(', ')} />
          </span>
        )}
        {place !== null && <span className="label">{checkedInText[place]}</span>}
        {boxed !== null && <span className="label">{boxed ? 'boxed' : 'not boxed'}</span>}
        {proof.about !== '' && <span>{proof.about}</span>}
        {setup !== null && (
          <span>
            setup{' '}
            <code>
              <VisibleText text={setup} />
            </code>
          </span>
        )}
        {commit !== null && (
          <span>
            commit <Commit id={commit} />
          </span>
        )}
        {sha256 !== null && (
          <span>
            sha256 <Hash sha256={sha256} />
          </span>
        )}
        {durationMs !== null && <span className="figure">{duration(durationMs)}</span>}
        {at !== null && <Ago at={at} />}
      </p>
      {proof.output.trim() !== '' && (
        <pre className="plain-text proof-output" tabIndex={0} role="region" aria-label={`Output of ${proof.what}`}>
          <VisibleLines text={proof.output.trimEnd()} />
        </pre>
      )}
    </div>
  )
}
