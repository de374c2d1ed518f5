import { Columns } from '../parts/columns.tsx'
import type { Inspection } from '../queries.ts'
import { Sign, type Tone } from '../parts/state.tsx'
import { Hash } from '../parts/hash.tsx'
import { addresses, Link } from '../router.tsx'
import { counted, size } from '../text.ts'
import { AgentName, VerdictLine } from '../verdicts/verdict.tsx'

const most = 500

/** Can this “done” be trusted: for every brief what was proven, who judged it, and what it left behind. */
export function EvidenceView({ inspection }: { inspection: Inspection }) {
  const { briefs, attempts, evidence, verdicts, artifacts } = inspection
  const work = briefs.filter((brief) => brief.kind === 'work')
  const checks = Map.groupBy(evidence, (check) => check.attemptId)
  const judged = Map.groupBy(verdicts, (verdict) => verdict.briefId)
  const left = Map.groupBy(artifacts, (artifact) => artifact.briefId)
  const last = new Map(attempts.filter((attempt) => checks.has(attempt.id)).map((each) => [each.briefId, each]))
  if (work.length === 0) return <p className="none muted">There are no briefs yet, and so nothing to prove.</p>
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Evidence">
      <table className="proofs">
        <Columns of={{ Brief: '', Evidence: '', Verdict: '', 'Left behind': '' }} />
        <tbody>
          {work.slice(0, most).map((brief) => {
            const looked = checks.get(last.get(brief.id)?.id ?? '') ?? []
            const passed = looked.filter((check) => check.passed).length
            const tone: Tone = looked.length === 0 ? 'idle' : passed === looked.length ? 'good' : 'bad'
            const verdict = judged.get(brief.id)?.at(-1)
            const newest = new Map((left.get(brief.id) ?? []).map((artifact) => [artifact.name, artifact]))
            return (
              <tr key={brief.id}>
                <td>
                  <Link to={addresses.brief(brief.runId, brief.id)}>{brief.title}</Link>
                </td>
                <td>
                  <span className={`stated tone-${tone}`}>
                    <Sign tone={tone} />
                    {looked.length === 0 ? 'not checked yet' : `${passed} of ${looked.length} proven`}
                  </span>
                  {!brief.checkable && <span className="label">no checkable evidence</span>}
                </td>
                <td>
                  {verdict === undefined ? (
                    <span className="muted">{brief.verify === 'agent' ? 'to be judged' : 'evidence is enough'}</span>
                  ) : (
                    <>
                      <VerdictLine verdict={verdict} />{' '}
                      <span className="muted">
                        by <AgentName personaId={verdict.verifierPersonaId} agentId={verdict.verifierId} />
                        {(judged.get(brief.id)?.length ?? 0) > 1 &&
                          `, ${counted(judged.get(brief.id)?.length ?? 0, 'verdict')} in all`}
                      </span>
                    </>
                  )}
                </td>
                <td>
                  {[...newest.values()].map((artifact) => (
                    <p key={artifact.id}>
                      <code>{artifact.path}</code>{' '}
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
      {work.length > most && <p className="muted">The first {most}; the tree lists all of them.</p>}
    </div>
  )
}
