import { AgentName } from '../agents/name.tsx'
import { ArtifactLink } from '../artifacts/link.tsx'
import { CheckPlace, CheckWarning, CheckWarnings } from '../box/check-place.tsx'
import { Columns } from '../parts/columns.tsx'
import { Hash } from '../parts/hash.tsx'
import { Sign, type Tone } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { counted, size } from '../text.ts'
import { VerdictLine } from '../verdicts/verdict.tsx'

const maxBriefs = 500

/** Shows whether the “done” of a run can be trusted: for every brief its evidence, verdict and artifacts. */
export function EvidenceView({ inspection }: { inspection: Inspection }) {
  const { run, briefs, attempts, evidence, verdicts, artifacts } = inspection
  // Dropped briefs prove nothing and lack nothing, so they come last.
  const work = briefs
    .filter((brief) => brief.kind === 'work')
    .toSorted((a, b) => Number(a.status === 'cancelled') - Number(b.status === 'cancelled'))
  const missing = run.endedAt === null ? 'not checked yet' : 'not checked'
  const checks = Map.groupBy(evidence, (check) => check.attemptId)
  const verdictsOf = Map.groupBy(verdicts, (verdict) => verdict.briefId)
  const artifactsOf = Map.groupBy(artifacts, (artifact) => artifact.briefId)
  const last = new Map(attempts.filter((attempt) => checks.has(attempt.id)).map((each) => [each.briefId, each]))
  if (work.length === 0) return <p className="none muted">No briefs yet. Their evidence appears here.</p>
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Evidence">
      <table className="proofs">
        <Columns of={{ Brief: '', Evidence: '', Verdict: '', Artifacts: '' }} />
        <tbody>
          {work.slice(0, maxBriefs).map((brief) => {
            const checked = checks.get(last.get(brief.id)?.id ?? '') ?? []
            const place = last.get(brief.id)?.checkedIn ?? null
            const passed = checked.filter((check) => check.passed).length
            const isDropped = brief.status === 'cancelled' && checked.length === 0
            const tone: Tone = isDropped
              ? 'off'
              : checked.length === 0
                ? 'idle'
                : passed === checked.length
                  ? 'good'
                  : 'bad'
            const verdict = verdictsOf.get(brief.id)?.at(-1)
            const newest = new Map((artifactsOf.get(brief.id) ?? []).map((artifact) => [artifact.name, artifact]))
            return (
              <tr key={brief.id}>
                <td>
                  <Link to={addresses.brief(brief.runId, brief.id)}>{brief.title}</Link>
                </td>
                <td>
                  <span className={`stated tone-${tone}`}>
                    <Sign tone={tone} />
                    {isDropped
                      ? droppedText(run)
                      : checked.length === 0
                        ? missing
                        : `${passed} of ${checked.length} proven`}
                  </span>
                  {!brief.checkable && !isDropped && <span className="label">no checkable evidence</span>}
                  <CheckPlace place={place} />
                  <CheckWarning place={place} />
                  <CheckWarnings warnings={(last.get(brief.id)?.odd ?? []).map(({ text }) => text)} />
                </td>
                <td>
                  {verdict === undefined ? (
                    <span className="muted">
                      {isDropped || brief.verify !== 'agent'
                        ? 'none required'
                        : run.endedAt === null
                          ? 'not verified yet'
                          : 'not verified'}
                    </span>
                  ) : (
                    <>
                      <VerdictLine verdict={verdict} />{' '}
                      <span className="muted">
                        by{' '}
                        <AgentName
                          runId={verdict.runId}
                          personaId={verdict.verifierPersonaId}
                          briefId={verdict.verifierBriefId}
                        />
                        {(verdictsOf.get(brief.id)?.length ?? 0) > 1 &&
                          `, ${counted(verdictsOf.get(brief.id)?.length ?? 0, 'verdict')} in total`}
                      </span>
                    </>
                  )}
                </td>
                <td>
                  {[...newest.values()].map((artifact) => (
                    <p key={artifact.id}>
                      <ArtifactLink artifact={artifact} />{' '}
                      <span className="muted">
                        {size(artifact.bytes)} <Hash sha256={artifact.sha256} />
                      </span>
                    </p>
                  ))}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {work.length > maxBriefs && (
        <p className="muted">Only the first {maxBriefs} are listed; the tree shows all of them.</p>
      )}
    </div>
  )
}

/** A run that failed or was cancelled has cancelled its open briefs itself: those were not dropped. */
const droppedText = ({ status }: Inspection['run']): string =>
  status === 'failed' || status === 'cancelled' ? 'cancelled' : 'dropped: replaced or cancelled'
