import { inserted, record } from '../../events/change.ts'
import { checkedInText, checkedInWarning } from '../../kernel/checked-in.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { systemPersona } from '../../kernel/ids.ts'
import { quotation, quotedItem, quoteLines } from '../../kernel/quotation.ts'
import { oneLine, shorten, shortenMiddle } from '../../kernel/text.ts'
import type { LogLine, Seen } from '../../playbooks/contract.ts'
import type { Attempt } from '../attempts/contract.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { partRemark } from '../briefs/split.ts'
import { briefs, findBrief, findBriefByKey } from '../briefs/store.ts'
import { type Check, describeEvidence } from '../evidence/contract.ts'
import { listChecksOfAttempts } from '../evidence/store.ts'
import { type Note, noteName } from '../notes/contract.ts'
import { listNotesOfBrief } from '../notes/store.ts'
import type { Judgement, Verdict } from './contract.ts'
import { listVerdictsOfBrief, verdicts } from './store.ts'
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
    objective: objectiveFor(judged),
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
    findings: found.filter(({ round }) => round === 'delivered').map(findingSeen),
    outputs: attempt.outputs,
  }
}

/** Returns a check as the verifier gets it; only a command or a server prints something that is not in the files. */
export const findingSeen = ({
  evidence,
  passed,
  detail,
  output,
}: Pick<Check, 'evidence' | 'passed' | 'detail' | 'output'>): Seen['findings'][number] => ({
  what: describeEvidence(evidence),
  passed,
  detail,
  ...(evidence.kind === 'command' || evidence.kind === 'http' ? { output } : {}),
})

/** A task of several lines is quoted: a planner may have written it, and its headings are not those of this prompt. */
const objectiveFor = ({ objective }: Brief): string =>
  objective.includes('\n')
    ? `Judge whether this was done:\n\n${quoteLines(objective).join('\n')}`
    : `Judge whether this was done: ${objective}`

/** Sections of Agency come first; everything that agents have written follows as quotations. */
async function contextFor(scope: RunScope, judged: Brief, seen: Seen): Promise<string> {
  const attempt = judged.attemptId === null ? undefined : await findAttempt(scope.tx, judged.attemptId)
  const warning = checkedInWarning(attempt?.checkedIn ?? null)
  const noted = scope.run.notesTotal === 0 ? [] : await listNotesOfBrief(scope.tx, judged.id)
  const earlier = judged.attempts > 1 ? await listVerdictsOfBrief(scope.tx, judged.id) : []
  const odd = attempt?.odd ?? []
  const rest = await restOf(scope, judged)
  return [
    checkedSection(seen, attempt),
    ...(warning === null ? [] : [`${warning}.`]),
    listed(
      'Outputs',
      seen.outputs.map(({ path }) => `- ${oneLine(path)}`),
    ),
    ...(judged.checkable
      ? []
      : [
          'Evidence alone cannot decide about it: the operator declared none, or it held before the work began. It depends on you.',
        ]),
    ...(rest === null ? [] : [`Only a part of the task belongs here: the rest is ${rest}, which is judged by itself.`]),
    ...(odd.length === 0
      ? []
      : [
          listed(
            'Odd: changes that may weaken the proof',
            odd.map(({ text }) => quotedItem('', text)),
          ),
        ]),
    quotation('What its maker says', seen.report.summary),
    ...(judged.context === '' ? [] : [quotation('Its context was', judged.context)]),
    ...(noted.length === 0 ? [] : notesParts(noted)),
    ...(earlier.length === 0
      ? []
      : [quotation('Earlier verdicts on this task', earlier.map(verdictText).join('\n')), checkEarlier]),
  ].join('\n\n')
}

/** Returns the key of the brief that does the rest of a part, if the work was split. */
async function restOf({ tx, run }: RunScope, { id, key, context, remainderOf }: Brief): Promise<string | null> {
  const named = partRemark.exec(context)?.[1]
  if (named === undefined || !named.startsWith(`${key}:rest:`)) return null
  const rest = await findBriefByKey(tx, run.id, named)
  return rest?.remainderOf === (remainderOf ?? id) ? named : null
}

const checkEarlier = 'Check for each fault that they name whether it is mended.'

/** Everything that commands have printed together; more would crowd out the task. */
const maxPrinted = 12_000

function checkedSection({ findings }: Seen, attempt: Attempt | undefined): string {
  const printed = findings.filter(({ output = '' }) => output.trim() !== '').length
  const share = Math.max(400, Math.floor(maxPrinted / Math.max(1, printed)))
  const place = attempt === undefined || attempt.checkedIn === null ? '' : `, ${checkedInText[attempt.checkedIn]}`
  const lines = findings.map(({ what, passed, detail, output = '' }) => {
    const line = `- ${passed ? '✓' : '✗'} ${oneLine(what)}: ${oneLine(detail)}`
    return output.trim() === ''
      ? line
      : [line, '  It printed:', ...quoteLines(shortenMiddle(output, share)).map((each) => `  ${each}`)].join('\n')
  })
  const said = findings.length === 0 ? [] : [`Agency has looked at these itself${place}; do not run them again.`, '']
  return listed('Checked by Agency already', [...said, ...lines])
}

const notesParts = (noted: readonly Note[]): string[] => [
  quotation(
    'Notes of its maker, and how each was settled',
    noted
      .map(
        (note) =>
          `- ${noteName(note)} (${note.category ?? 'no category'}): ${note.description} → ${note.resolution ?? note.status} (${note.resolvedBy ?? 'open'})`,
      )
      .join('\n'),
  ),
  'Refuse a note that its maker settled alone although it is about technology, architecture, security, requirements or a conflict: name it as missing evidence.',
]

const verdictText = ({ attempt, verdict, missingEvidence, issues, notes }: Verdict): string =>
  [
    `- attempt ${attempt}: ${verdict}`,
    ...missingEvidence.map((text) => `  - missing evidence: ${text}`),
    ...issues.map((text) => `  - ${text}`),
    ...(notes === '' ? [] : [`  - notes: ${shorten(notes, 2_000)}`]),
  ].join('\n')

const listed = (title: string, lines: readonly string[]): string =>
  `### ${title}\n\n${lines.length === 0 ? '- none' : lines.join('\n')}`

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
