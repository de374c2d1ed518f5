import { useEffect, useRef } from 'react'

import type { Artifact } from '../../src/work/artifacts/contract.ts'
import type { Attempt } from '../../src/work/attempts/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { wasNotRun } from '../../src/kernel/checked-in.ts'
import { type Check, describeEvidence, expectationsOf, startsProcesses } from '../../src/work/evidence/contract.ts'
import { AgentName } from '../agents/name.tsx'
import { ArtifactLink } from '../artifacts/link.tsx'
import { BoxLabel, DeniedList, ResourceUse } from '../box/attempt-box.tsx'
import { CheckPlace, CheckWarning, CheckWarnings } from '../box/check-place.tsx'
import { NoteItem } from '../notes/view.tsx'
import { Columns } from '../parts/columns.tsx'
import { Disclosure } from '../parts/disclosure.tsx'
import { Hash } from '../parts/hash.tsx'
import { Sign, StateLabel } from '../parts/state.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import { BriefChanges } from '../pull-requests/brief-changes.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { RetryRun } from '../again/again.tsx'
import { Simulated } from '../runs/simulated.tsx'
import { counted, duration, figure, money, size } from '../text.ts'
import { VerdictItem } from '../verdicts/verdict.tsx'
import { Findings } from './findings.tsx'
import { attemptState, briefState } from './state.ts'

/** Shows whether the "done" of a brief can be trusted: its objective, evidence, verdicts and results. */
export function BriefDetail({ inspection, brief, hash }: { inspection: Inspection; brief: HeldBrief; hash: string }) {
  const { tier, workstream, personality } = brief.data
  const attempts = inspection.attempts.filter((attempt) => attempt.briefId === brief.id)
  const checks = inspection.evidence.filter((check) => check.briefId === brief.id)
  const artifacts = inspection.artifacts.filter((artifact) => artifact.briefId === brief.id)
  const verdicts = inspection.verdicts.filter((verdict) => verdict.briefId === brief.id)
  const notes = inspection.notes.filter((note) => note.briefId === brief.id)
  return (
    <article className="brief" aria-label={`Brief ${brief.title}`}>
      <header>
        <h2>
          <Link to={addresses.brief(brief.runId, brief.id)}>{brief.title}</Link>
        </h2>
        <p className="facts">
          <StateLabel state={briefState(brief)} />
          {inspection.run.simulated && <Simulated />}
          {typeof tier === 'string' && (
            <span className="label">
              {tier.toUpperCase()}
              {typeof workstream === 'string' && ` of ${workstream}`}
            </span>
          )}
          {typeof personality === 'string' && <span className="muted">cast as {personality}</span>}
          {!brief.checkable && brief.kind === 'work' && (
            <span className="label" title="The brief declares no evidence that can be checked without a verifier">
              no checkable evidence
            </span>
          )}
          <span className="muted">
            {brief.runtime} · {counted(brief.attempts, 'attempt')}
          </span>
          {(brief.costMicros > 0 || brief.costLimitMicros !== null) && (
            <span className="figure">
              {money(brief.costMicros)}
              {brief.costLimitMicros !== null && ` of ${money(brief.costLimitMicros)}`}
              {inspection.run.simulated && <span className="muted"> (simulated)</span>}
            </span>
          )}
          <code className="muted" title={brief.id}>
            {brief.key}
          </code>
        </p>
        <RelatedBriefs inspection={inspection} brief={brief} />
        <FromHere inspection={inspection} brief={brief} />
      </header>
      {brief.objective !== brief.title && <p className="objective">{brief.objective}</p>}
      {brief.context !== '' && (
        <details>
          <summary>Context</summary>
          <p className="objective">{brief.context}</p>
        </details>
      )}
      {Object.keys(brief.inputs).length > 0 && (
        <Disclosure summary="Inputs as JSON">
          {() => (
            <pre tabIndex={0} role="region" aria-label="Inputs">
              {JSON.stringify(brief.inputs, null, 2)}
            </pre>
          )}
        </Disclosure>
      )}
      <EvidenceList brief={brief} checks={checks} attempts={attempts} />
      {(verdicts.length > 0 || brief.verify === 'agent') && (
        <section className="part">
          <h3>
            Verdicts <span className="muted">by an independent verifier</span>
          </h3>
          {verdicts.length === 0 && (
            <p className="muted">None yet: the brief is verified after its evidence has passed.</p>
          )}
          <ol className="plain">
            {verdicts.map((verdict) => (
              <VerdictItem key={verdict.id} verdict={verdict} />
            ))}
          </ol>
        </section>
      )}
      {brief.rejectionReason !== null && (
        <section className="part">
          <h3>
            Sent back <span className="muted">because the result was rejected</span>
          </h3>
          <p className="written">{brief.rejectionReason}</p>
        </section>
      )}
      {brief.guidance.length > 0 && (
        <section className="part">
          <h3>
            Guidance <span className="muted">passed to every further attempt</span>
          </h3>
          <ul className="plain">
            {brief.guidance.map((each, index) => (
              <li key={index} className="evidence">
                <div className="grow">
                  <p className="muted written">{each.question}</p>
                  <p className="written">
                    {each.by}: {each.answer}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      {brief.corrections.length > 0 && <Corrections brief={brief} />}
      {notes.length > 0 && (
        <section className="part">
          <h3>Notes</h3>
          <ul className="plain">
            {notes.map((note) => (
              <NoteItem key={note.noteId} note={note} brief={null} />
            ))}
          </ul>
        </section>
      )}
      <BriefChanges brief={brief} />
      {artifacts.length > 0 && <Artifacts artifacts={artifacts} />}
      <Attempts brief={brief} attempts={attempts} hash={hash} />
    </article>
  )
}

const maxNeeds = 8

/** Continues an ended run from one of its briefs: by doing it again, or with other settings from its result. */
function FromHere({ inspection: { run }, brief }: { inspection: Inspection; brief: HeldBrief }) {
  const { purpose, reverts } = run.configuration
  if (run.endedAt === null || run.playbook !== 'direct' || brief.kind !== 'work') return null
  return (
    <p className="buttons">
      {purpose === undefined && reverts === undefined && (
        <RetryRun run={run} from={brief.key} label="Retry from here" />
      )}
      {brief.branchCommit !== null && (
        <Link className="button" to={addresses.fork(run.id, brief.key)}>
          Fork from here…
        </Link>
      )}
    </p>
  )
}

/** Links to the briefs that this brief waits for, and to the one that it verifies. */
function RelatedBriefs({ inspection, brief }: { inspection: Inspection; brief: HeldBrief }) {
  const { briefs, dependencies, run } = inspection
  const others = new Map(briefs.map((each) => [each.id, each]))
  const verified = brief.verifies === null ? undefined : others.get(brief.verifies)
  const needs = dependencies.filter((each) => each.briefId === brief.id)
  const [hold, subject = ''] = brief.heldBy?.split(/:(.*)/s) ?? []
  const failed = hold === 'dependency_failed' ? others.get(subject) : undefined
  if (verified === undefined && needs.length === 0 && hold !== 'gate' && failed === undefined) return null
  return (
    <p className="facts">
      {verified !== undefined && (
        <span>
          verifies attempt {brief.verifiesAttempt} of{' '}
          <Link to={addresses.brief(run.id, verified.id)}>{verified.title}</Link>
        </span>
      )}
      {(hold === 'gate' || hold === 'pause') && <Link to={addresses.run(run.id)}>Show the gate or pause</Link>}
      {failed !== undefined && (
        <span>
          held by <Link to={addresses.brief(run.id, failed.id)}>{failed.title}</Link>, which failed
        </span>
      )}
      {needs.length > 0 && (
        <span className="needs">
          <span className="muted">after</span>{' '}
          {needs.slice(0, maxNeeds).map(({ afterId }) => {
            const other = others.get(afterId)
            return other === undefined ? null : (
              <span key={afterId} className={`stated tone-${briefState(other).tone}`}>
                <Sign tone={briefState(other).tone} />
                <Link to={addresses.brief(run.id, afterId)}>{other.title}</Link>
              </span>
            )
          })}
          {needs.length > maxNeeds && ` and ${needs.length - maxNeeds} more`}
        </span>
      )}
    </p>
  )
}

/** Lists the items of evidence, each with its newest check or the note that it was not checked yet. */
function EvidenceList({ brief, checks, attempts }: { brief: HeldBrief; checks: Check[]; attempts: Attempt[] }) {
  const newest = new Map(checks.map((check) => [check.item, check]))
  // A brief without evidence of its own is checked by the files that it reports; then those checks are its items.
  const items =
    brief.evidence.length > 0
      ? brief.evidence.map((evidence, item) => ({ item, evidence, check: newest.get(item) }))
      : [...newest.values()].map((check) => ({ item: check.item, evidence: check.evidence, check }))
  const passed = items.filter(({ check }) => check?.passed === true).length
  const last = attempts.findLastIndex((attempt) => checks.some((check) => check.attemptId === attempt.id)) + 1
  return (
    <section className="part">
      <h3>
        Evidence{' '}
        <span className="muted">
          {last > 0
            ? `${passed} of ${items.length} proven after attempt ${last}, checked by the engine`
            : 'not checked yet'}
        </span>
      </h3>
      {items.length === 0 && <p className="muted">Every output that the agent reports must exist.</p>}
      <ul className="plain">
        {items.map(({ item, evidence, check }) => (
          <li key={item} className="evidence">
            <Sign tone={check === undefined ? 'idle' : check.passed ? 'good' : 'bad'} />
            <div className="grow">
              <p className="asked">
                <code>{describeEvidence(evidence)}</code>
                {expectation(evidence)}
              </p>
              {check === undefined ? (
                <p className="muted">not checked yet</p>
              ) : (
                <CheckResult check={check} attempt={attempts.findIndex((each) => each.id === check.attemptId) + 1} />
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function CheckResult({ check, attempt }: { check: Check; attempt: number }) {
  return (
    <>
      {check.output !== '' && (
        <pre tabIndex={0} aria-label="Output of the check">
          {check.output}
        </pre>
      )}
      <p className="facts muted">
        <span>
          <span className={`tone-${check.passed ? 'good' : 'bad'}`}>{check.passed ? 'proven' : 'not proven'}</span>:{' '}
          {check.detail}
        </span>
        <span>{duration(check.durationMs)}</span>
        {startsProcesses(check.kind) && !wasNotRun(check.detail) && <span>{check.boxed ? 'boxed' : 'not boxed'}</span>}
        {attempt > 0 && <span>attempt {attempt}</span>}
        <Ago at={check.at} />
        {check.sha256 !== null && <Hash sha256={check.sha256} />}
      </p>
    </>
  )
}

function Corrections({ brief }: { brief: HeldBrief }) {
  return (
    <section className="part">
      <h3>
        Corrections{' '}
        <span className="muted">
          {brief.status === 'pending' ? 'passed to the next attempt' : 'were passed to the last attempt'}
        </span>
      </h3>
      <ul className="plain">
        {brief.corrections.map((correction, index) => (
          <li key={index} className="evidence">
            <Sign tone="bad" />
            <div className="grow">
              <p className="asked">
                <code>{correction.evidence}</code>
              </p>
              <p>{correction.detail}</p>
              {correction.output !== undefined && (
                <pre className="plain-text" tabIndex={0} role="region" aria-label="The end of its output">
                  {correction.output}
                </pre>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Artifacts({ artifacts }: { artifacts: Artifact[] }) {
  return (
    <section className="part">
      <h3>
        Artifacts <span className="muted">stored by hash</span>
      </h3>
      <table>
        <Columns of={{ File: '', Version: 'figure', Size: 'figure', 'SHA-256': '' }} />
        <tbody>
          {artifacts.map((artifact) => (
            <tr key={artifact.id}>
              <td>
                <ArtifactLink artifact={artifact} />
              </td>
              <td className="figure">{artifact.version}</td>
              <td className="figure">{size(artifact.bytes)}</td>
              <td>
                <Hash sha256={artifact.sha256} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Attempts({ brief, attempts, hash }: { brief: HeldBrief; attempts: Attempt[]; hash: string }) {
  return (
    <section className="part">
      <h3>Attempts</h3>
      {attempts.length === 0 && (
        <p className="muted">None yet: the first attempt starts when a slot is free and nothing holds the brief.</p>
      )}
      <ol className="plain">
        {attempts.map((attempt, index) => (
          <AttemptItem
            key={attempt.id}
            attempt={attempt}
            personaId={brief.personaId}
            number={index + 1}
            pointed={hash === attempt.id}
          />
        ))}
      </ol>
    </section>
  )
}

function AttemptItem({
  attempt,
  personaId,
  number,
  pointed,
}: {
  attempt: Attempt
  personaId: number
  number: number
  pointed: boolean
}) {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (pointed) item.current?.scrollIntoView({ block: 'nearest' })
  }, [pointed])
  const state = attemptState(attempt)
  return (
    <li ref={item} className="evidence" data-pointed={pointed || undefined}>
      <Sign tone={state.tone} />
      <div className="grow">
        <p>
          <Link to={addresses.attempt(attempt.runId, attempt.briefId, attempt.id)}>Attempt {number}</Link>{' '}
          <span className={`tone-${state.tone}`}>{state.text}</span>
          {attempt.detail !== null && `: ${attempt.detail}`}
        </p>
        {attempt.report !== null && (
          <p>
            The agent reports <b>{attempt.report.status}</b>: {attempt.report.summary}
          </p>
        )}
        {attempt.report?.findings !== undefined && <Findings findings={attempt.report.findings} />}
        <DeniedList denied={attempt.denied} />
        <CheckWarning place={attempt.checkedIn} />
        <CheckWarnings warnings={attempt.odd.map(({ text }) => text)} />
        <p className="facts muted">
          <span>
            {attempt.runtime}
            {attempt.simulated && ' (simulated)'}
          </span>
          <BoxLabel boxed={attempt.boxed} />
          <CheckPlace place={attempt.checkedIn} />
          <Link to={addresses.output(attempt.runId, attempt.briefId, attempt.id)}>Output</Link>
          <span title={`agent ${attempt.agentId}`}>
            by <AgentName runId={attempt.runId} personaId={personaId} briefId={attempt.briefId} />
          </span>
          {attempt.exitCode !== null && <span>exit {attempt.exitCode}</span>}
          <ResourceUse used={attempt.used} />
          {attempt.costMicros > 0 && <span className="figure">{money(attempt.costMicros)}</span>}
          {attempt.startedAt !== null && <Duration from={attempt.startedAt} to={attempt.endedAt} />}
          <span>
            {figure(attempt.inputTokens)} in, {figure(attempt.outputTokens)} out tokens
          </span>
          <Ago at={attempt.createdAt} />
          {attempt.promptSha256 !== null && (
            <span>
              <Link to={addresses.prompt(attempt.runId, attempt.id)}>Prompt</Link>{' '}
              <Hash sha256={attempt.promptSha256} />
            </span>
          )}
          {attempt.systemPromptSha256 !== null && (
            <span>
              system prompt <Hash sha256={attempt.systemPromptSha256} />
            </span>
          )}
        </p>
      </div>
    </li>
  )
}

function expectation(evidence: Check['evidence']): string | null {
  if (evidence.kind === 'command') {
    const output = evidence.expectOutput === undefined ? '' : ` and prints “${evidence.expectOutput}”`
    return ` exits ${evidence.expectExit}${output}`
  }
  if (evidence.kind === 'artifact') return null
  if (evidence.kind === 'schema')
    return ` ${evidence.schema === undefined ? expectationsOf(evidence)[0] : 'fits its JSON Schema'}`
  if (evidence.kind !== 'file') return ` ${expectationsOf(evidence).join(', ')}`
  const asked = [
    evidence.contains === undefined ? null : `contains “${evidence.contains}”`,
    evidence.minBytes > 1 ? `has at least ${size(evidence.minBytes)}` : null,
    evidence.sha256 === undefined ? null : `hashes to ${evidence.sha256.slice(0, 12)}…`,
  ].filter((part) => part !== null)
  return asked.length === 0 ? ' exists' : ` ${asked.join(', ')}`
}
