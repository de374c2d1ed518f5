import type { Basis, Claim } from '../../src/work/proof-sheets/contract.ts'
import { CheckWarning, CheckWarnings } from '../box/check-place.tsx'
import { statusState } from '../briefs/state.ts'
import { Hash } from '../parts/hash.tsx'
import { StateLabel } from '../parts/state.tsx'
import { VisibleLines, VisibleText } from '../parts/visible-text.tsx'
import { Commit } from '../pull-requests/commit.tsx'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'
import { ProofItem } from './proof-item.tsx'
import { proofOfCheck } from './shown-proof.ts'
import { AuthorLabels, AuthorName, SheetVerdictItem } from './verdict-item.tsx'

export const basisText: Record<Basis, string> = {
  checked: 'checked',
  judged: 'judged by a verifier',
  both: 'checked and judged',
  neither: 'not judged, and not checked by evidence of the operator',
  open: 'not finished',
}

/** One brief of a result: the claim of its agent, and everything that supports it. */
export function ClaimItem({ runId, claim, folded = true }: { runId: string; claim: Claim; folded?: boolean }) {
  const { by } = claim
  const Title = folded ? 'h4' : 'h3'
  return (
    <section className="part claim" aria-label={claim.title}>
      <Title>
        <Link to={addresses.brief(runId, claim.briefId)}>
          <VisibleText text={claim.title} />
        </Link>{' '}
        <code className="muted">{claim.key}</code>
      </Title>
      <p className="facts">
        <StateLabel state={statusState(claim.status)} />
        <span className="muted">{basisText[claim.basis]}</span>
        {by !== null && (
          <span>
            by <AuthorName author={by} />
          </span>
        )}
        {by !== null && <AuthorLabels author={by} />}
        {claim.attempts > 1 && <span className="muted">{counted(claim.attempts, 'attempt')}, the newest counts</span>}
        {claim.commit !== null && (
          <span className="muted">
            commit <Commit id={claim.commit} />
          </span>
        )}
      </p>
      {claim.summary !== null && (
        <blockquote className="written claimed">
          <VisibleLines text={claim.summary} />
        </blockquote>
      )}
      {claim.contradiction !== null && (
        <p className="tone-bad">
          Its reports contradict each other: <VisibleText text={claim.contradiction} />
        </p>
      )}
      <CheckWarning place={claim.checkedIn} />
      <CheckWarnings warnings={claim.odd.map(({ text }) => text)} />
      {claim.outputs.length > 0 && (
        <ul className="plain result-files">
          {claim.outputs.slice(0, mostOutputs).map(({ path, sha256 }) => (
            <li key={path}>
              <code>
                <VisibleText text={path} />
              </code>
              <span className="muted">
                sha256 <Hash sha256={sha256} />
              </span>
            </li>
          ))}
          {claim.outputs.length > mostOutputs && (
            <li className="muted">and {counted(claim.outputs.length - mostOutputs, 'further file')}</li>
          )}
        </ul>
      )}
      {claim.checks.length > 0 && (
        <ul className="plain proof-list">
          {claim.checks.map((check) => (
            <ProofItem key={check.id} proof={proofOfCheck(check, claim)} folded={folded} />
          ))}
        </ul>
      )}
      {claim.verdicts.length > 0 && (
        <ul className="plain">
          {claim.verdicts.map((verdict) => (
            <SheetVerdictItem key={verdict.id} verdict={verdict} folded={folded} />
          ))}
        </ul>
      )}
      {claim.notes.length > 0 && (
        <ul className="plain">
          {claim.notes.map((note) => (
            <li key={note.id} className="evidence">
              <p>
                <span className="muted">{note.noteId}</span> <VisibleText text={note.description} />{' '}
                <span className="muted">
                  {note.resolution === null ? note.status : <VisibleText text={`resolved: ${note.resolution}`} />}
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const mostOutputs = 50
