import { useQuery } from '@tanstack/react-query'

import type { RunResult } from '../../src/work/run-results/contract.ts'
import { runResultOperations } from '../../src/work/run-results/contract.ts'
import { ArtifactPreview } from '../artifacts/preview.tsx'
import { call } from '../client.ts'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { Sign } from '../parts/state.tsx'
import { VisibleLines, VisibleText } from '../parts/visible-text.tsx'
import { keys } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'

/** A person judges a few files on a card; the page of the run shows all of them. */
const shownFiles = 3
const shownChecks = 6
const shownLines = 40

const resultQuery = (runId: string) => ({
  queryKey: [...keys.run(runId), 'gate-result'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call(runResultOperations.show, { runId, limit: 50 }, signal),
})

/** Shows the result that a gate is about: its sentence, the beginning of its files, its proofs and its verdicts. */
export function GateResult({ runId }: { runId: string }) {
  const result = useQuery(resultQuery(runId))
  if (result.data === undefined)
    return result.isError ? (
      <Failure error={result.error} retry={() => void result.refetch()} name="The result" />
    ) : (
      <Skeleton lines={4} label="the result" />
    )
  const { sentence, gaps, verifiedBy } = result.data
  const issues = result.data.claims.flatMap(({ verdicts }) =>
    verdicts.filter(({ isCurrent }) => isCurrent).flatMap((verdict) => [...verdict.issues, ...verdict.missingEvidence]),
  )
  return (
    <div className="gate-result">
      {sentence !== null && (
        <p className="written">
          <VisibleLines text={sentence.text} />{' '}
          {sentence.by !== null && <span className="muted">— {sentence.by.name}</span>}
        </p>
      )}
      <Files result={result.data} />
      <Proofs result={result.data} />
      {verifiedBy.length > 0 && (
        <p>
          Verified by{' '}
          {verifiedBy
            .map(({ name, passed, failed }) => `${name}: ${passed} passed${failed > 0 ? `, ${failed} failed` : ''}`)
            .join('; ')}
        </p>
      )}
      {issues.length > 0 && <Texts title="Issues of the verifiers" texts={issues} />}
      {gaps.length > 0 && <Texts title="Not proven" texts={gaps.map(({ text }) => text)} />}
      <p>
        <Link to={addresses.runView(runId, 'evidence')}>Show every proof</Link>
      </p>
    </div>
  )
}

function Files({ result: { files, filesTotal, run } }: { result: RunResult }) {
  const kept = files.flatMap(({ artifactId }) => artifactId ?? [])
  const shown = kept.slice(0, shownFiles)
  const [first, ...others] = shown
  const more = filesTotal - shown.length
  if (filesTotal === 0) return <p className="muted">No files were reported.</p>
  return (
    <>
      {first !== undefined && <ArtifactPreview artifactId={first} lines={shownLines} />}
      {others.map((artifactId) => (
        <details key={artifactId}>
          <summary>
            <VisibleText text={files.find((file) => file.artifactId === artifactId)?.path ?? ''} />
          </summary>
          <ArtifactPreview artifactId={artifactId} lines={shownLines} />
        </details>
      ))}
      {more > 0 && (
        <p className="muted">
          {counted(more, shown.length === 0 ? 'file' : 'more file')}
          {run.repository !== null && ': see the diff'}
        </p>
      )}
    </>
  )
}

/** Lists the checks of the delivered work, failed ones first. */
function Proofs({ result: { claims, total } }: { result: RunResult }) {
  const checks = claims
    .flatMap((claim) => claim.checks)
    .filter(({ round }) => round === 'delivered')
    .toSorted((one, other) => Number(one.passed) - Number(other.passed))
  const passed = checks.filter((check) => check.passed).length
  if (checks.length === 0) return <p className="muted">No evidence was checked.</p>
  return (
    <details open={passed < checks.length || checks.length <= shownChecks}>
      <summary>
        {passed} of {counted(checks.length, 'proof')} held
        {total > claims.length && `, of the first ${claims.length} of ${total} briefs`}
      </summary>
      <ul className="plain">
        {checks.slice(0, shownChecks).map(({ id, what, detail, passed: held, boxed, kind }) => (
          <li key={id} className="gate-proof">
            <Sign tone={held ? 'good' : 'bad'} />
            <code>
              <VisibleText text={what} />
            </code>
            <span className="muted">
              <VisibleText text={detail} />
              {kind === 'command' && !boxed && ', not boxed'}
            </span>
          </li>
        ))}
        {checks.length > shownChecks && <li className="muted">and {checks.length - shownChecks} more</li>}
      </ul>
    </details>
  )
}

const shownTexts = 5

const Texts = ({ title, texts }: { title: string; texts: readonly string[] }) => (
  <div>
    <p className="muted">{title}</p>
    <ul className="plain odd">
      {texts.slice(0, shownTexts).map((text, index) => (
        <li key={index} className="written">
          <VisibleText text={text} />
        </li>
      ))}
      {texts.length > shownTexts && <li>and {texts.length - shownTexts} more</li>}
    </ul>
  </div>
)
