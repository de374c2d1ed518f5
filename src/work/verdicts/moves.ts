import { inserted, record } from '../../events/change.ts'
import { checkedInWarning } from '../../kernel/checked-in.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { systemPersona } from '../../kernel/ids.ts'
import { shorten } from '../../kernel/text.ts'
import type { LogLine, Seen } from '../../playbooks/contract.ts'
import type { Attempt, Report } from '../attempts/contract.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import { type Check, describeEvidence, type Evidence } from '../evidence/contract.ts'
import { listChecksOfAttempts } from '../evidence/store.ts'
import { noteName } from '../notes/contract.ts'
import { listNotesOfBrief } from '../notes/store.ts'
import type { Judgement, Verdict } from './contract.ts'
import { verdicts } from './store.ts'
import { newBrief } from '../briefs/create.ts'
import type { RunScope } from '../scope.ts'
import { log } from '../runs/log.ts'
import { eventTags, nameOf } from '../briefs/moves.ts'
import { isWaitingFor } from './subject.ts'

/** Creates a brief for another persona to judge this attempt. */
export async function commissionVerifier(
  scope: RunScope,
  judged: Brief,
  seen: Seen,
  told: 'one by one' | 'together' = 'one by one',
): Promise<void> {
  const { run, tx } = scope
  const { configuration } = run
  const place = scope.playbook.verifier?.(run, judged) ?? {}
  const runtime = place.runtime ?? configuration.verifierRuntime ?? judged.runtime
  const runtimeOptions =
    place.runtimeOptions ?? configuration.verifierOptions ?? (runtime === judged.runtime ? judged.runtimeOptions : {})
  const brief = newBrief(scope, {
    id: scope.ids.next('brief'),
    // No plan can name a key with a colon.
    key: `verify:${judged.key}:${judged.attempts}`,
    number: judged.number,
    kind: 'verify',
    title: shorten(`Verify ${judged.title}`, 120),
    objective: `Judge whether this was done: ${judged.objective}`,
    context: await contextFor(scope, judged, seen),
    // A verifier changes nothing, so each output is checked again after it.
    evidence: seen.outputs.map(({ path, sha256 }) => ({ kind: 'file', path, minBytes: 0, sha256 })),
    verifies: judged.id,
    verifiesAttempt: judged.attempts,
    // The remainder of a brief, and its verifier, use the directory of that brief.
    remainderOf: judged.remainderOf,
    personaId: judged.verifierId ?? systemPersona,
    // In the part of the work, under the same owner.
    part: judged.part,
    ownerId: judged.ownerId,
    ...place,
    runtime,
    provider: scope.providerOf(runtime, runtimeOptions),
    runtimeOptions,
  })
  await record(
    tx,
    {
      kind: 'brief_created',
      by: scope.by,
      runId: run.id,
      briefId: brief.id,
      ...eventTags(scope, brief),
      level: told === 'one by one' ? 'normal' : 'verbose',
      code: 'VERIFY_START',
      message: `${judged.key} attempt ${judged.attempts}`,
      data: { to: 'pending', verifies: judged.id, attempt: judged.attempts },
    },
    [inserted(briefs, brief)],
  )
}

/** Creates a verifier for each brief. Reports and findings that are not given are read from the store. */
export async function verifyBriefs(
  scope: RunScope,
  ready: readonly Brief[],
  { seen, event }: { seen?: Seen; event?: LogLine },
): Promise<void> {
  if (event !== undefined) await log(scope, event)
  const told = event === undefined ? 'one by one' : 'together'
  const checks = seen === undefined ? await checksOf(scope, ready) : noChecks
  for (const brief of ready) await commissionVerifier(scope, brief, seen ?? (await seenOf(scope, brief, checks)), told)
}

type Checks = ReadonlyMap<string, readonly Check[]>

const noChecks: Checks = new Map()

const checksOf = async ({ tx }: RunScope, ready: readonly Brief[]): Promise<Checks> => {
  const attemptIds = ready.flatMap(({ attemptId }) => attemptId ?? [])
  return Map.groupBy(await listChecksOfAttempts(tx, attemptIds), ({ attemptId }) => attemptId)
}

async function seenOf({ tx }: RunScope, brief: Brief, checks: Checks): Promise<Seen> {
  const attempt = brief.attemptId === null ? undefined : await findAttempt(tx, brief.attemptId)
  if (attempt === undefined || attempt.report === null) throw bug(`${brief.id} is ready and has no report`)
  const found = checks.get(attempt.id) ?? []
  return {
    report: attempt.report,
    findings: found.map(({ evidence, passed, detail }) => ({ what: describeEvidence(evidence), passed, detail })),
    outputs: attempt.outputs,
  }
}

async function contextFor(scope: RunScope, judged: Brief, seen: Seen): Promise<string> {
  const attempt = judged.attemptId === null ? undefined : await findAttempt(scope.tx, judged.attemptId)
  const warning = checkedInWarning(attempt?.checkedIn ?? null)
  const parts = [
    `What its maker says: ${seen.report.summary}`,
    ...(judged.context === '' ? [] : [`Its context was:\n\n${judged.context}`]),
    listed(
      'Checked by Agency already',
      seen.findings.map((each) => `${each.passed ? '✓' : '✗'} ${each.what}: ${each.detail}`),
    ),
    ...(warning === null ? [] : [`${warning}.`]),
    listed(
      'Outputs',
      seen.outputs.map((output) => output.path),
    ),
    ...(judged.checkable ? [] : ['Nothing that can be checked by a machine was declared: it depends on you.']),
  ]
  const noted = scope.run.notesTotal === 0 ? [] : await listNotesOfBrief(scope.tx, judged.id)
  if (noted.length > 0)
    parts.push(
      listed(
        'Notes of its maker, and how each was settled',
        noted.map(
          (note) =>
            `${noteName(note)} (${note.category ?? 'no category'}): ${note.description} → ${note.resolution ?? note.status} (${note.resolvedBy ?? 'open'})`,
        ),
      ),
      'Refuse a note that its maker settled alone although it is about technology, architecture, security, requirements or a conflict: name it as missing evidence.',
    )
  return parts.join('\n\n')
}

const listed = (title: string, lines: readonly string[]): string =>
  `### ${title}\n\n${lines.length === 0 ? '- none' : lines.map((line) => `- ${line}`).join('\n')}`

/**
 * Returns the reason why a judgement is invalid, or null. A pass must list everything that was checked, including every
 * output.
 */
export function faultOfJudgement(
  { status, verdict: judgement, assumptions }: Report,
  evidence: readonly Evidence[],
): string | null {
  const outputs = evidence.flatMap((each) => (each.kind === 'file' ? [each.path] : []))
  if (judgement === undefined) return 'the report has no verdict'
  if (status !== 'done') return `a verdict is given whole, and the report says "${status}"`
  if (assumptions !== undefined && assumptions.length > 0)
    return 'a verifier writes no notes: its doubts belong in its verdict'
  if (judgement.verdict !== 'pass')
    return judgement.issues.length + judgement.missingEvidence.length > 0 || judgement.notes !== ''
      ? null
      : `a verdict "${judgement.verdict}" must name issues or missing evidence`
  if (judgement.checked.length === 0) return 'a pass must list everything that was checked'
  const unseen = outputs.find((path) => !judgement.checked.some((line) => line.includes(path)))
  return unseen === undefined ? null : `a pass must list ${shorten(unseen, 200)} as checked`
}

/** Records the verdict once; resolves to null if the judged brief has changed meanwhile. */
export async function recordVerdict(
  scope: RunScope,
  verifying: Brief,
  attempt: Attempt,
  judgement: Judgement,
): Promise<Brief | null> {
  const { tx, run } = scope
  const judged = verifying.verifies === null ? undefined : await findBrief(tx, verifying.verifies)
  if (judged === undefined) throw bug(`${verifying.id} verifies a missing brief`)
  if (!isWaitingFor(judged, verifying)) return null
  const doer = judged.attemptId === null ? undefined : await findAttempt(tx, judged.attemptId)
  if (doer === undefined) throw bug(`${judged.id} has no attempt to be judged`)
  // The database schema refuses it too; this message names the cause.
  if (doer.agentId === attempt.agentId || isSamePersona(judged, verifying))
    throw refusal('forbidden', `${verifying.key}: the agent that did the work cannot verify it`)
  const verdict: Verdict = {
    id: scope.ids.next('verdict'),
    runId: run.id,
    briefId: judged.id,
    scope: 'brief',
    attempt: judged.attempts,
    doerId: doer.agentId,
    doerPersonaId: judged.personaId,
    verifierId: attempt.agentId,
    verifierPersonaId: verifying.personaId,
    verifierBriefId: verifying.id,
    ...judgement,
    at: tx.at,
  }
  await record(
    tx,
    {
      kind: 'verdict',
      by: scope.by,
      runId: run.id,
      briefId: judged.id,
      attemptId: attempt.id,
      ...eventTags(scope, verifying),
      level: scope.playbook.logsProgress === true ? 'verbose' : 'normal',
      code: 'VERDICT',
      message: `${judgement.verdict} — ${nameOf(scope, judged)}${judgement.verdict === 'pass' ? '' : ' needs rework'}`,
      data: { verdict: judgement.verdict, attempt: judged.attempts, issues: judgement.issues.length },
    },
    [inserted(verdicts, verdict)],
  )
  return judged
}

const isSamePersona = (judged: Brief, verifying: Brief): boolean =>
  judged.personaId === verifying.personaId && judged.personaId !== systemPersona
