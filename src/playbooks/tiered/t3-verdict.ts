import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief, Correction } from '../../work/briefs/contract.ts'
import type { ResultsRequest } from '../../work/results/contract.ts'
import type { Verdict } from '../../work/verdicts/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { integrationScope, type JointVerdict, type SliceResult, dataOfBrief } from './contract.ts'
import { escalateSquad } from './escalate-squad.ts'
import { dependentsOf, sendBack } from './t4-dependents.ts'
import { documents, keys, scopeOf, squadNames } from './base-names.ts'
import { settingsOf } from './base-settings.ts'
import { dataOf, ended, over, own, type SquadData, unsettled } from './base-state.ts'
import { addStep, mostReceived, passStep, repeatStep, line, type Step, log } from './base-steps.ts'
import { finishNeeds, finishSquad } from './t3-finish-squad.ts'
import { verdictSummary } from './base-gate-summary.ts'
import { taskIdOf } from './t4-tasks.ts'
import { listed } from './base-text.ts'

const finished = ['ready_for_verification', ...ended]

/** Reports whether every task has finished and no verifier is at work: the playbook has to decide the next step. */
const isAtRest = (view: View): boolean =>
  unsettled(view, 't4', finished) === 0 &&
  unsettled(view, 't5', over) === 0 &&
  unsettled(view, 't3_verdict', ended) === 0

const isPiecemeal = ({ run }: View): boolean => settingsOf(run).pipelineRequires === 'verified'

export function squadNeeds(view: View): Needs {
  const squad = own(view)
  if (!isAtRest(view) && !isPiecemeal(view)) return {}
  return { ...judgementNeeds(view, squad.key), ...finishNeeds(view) }
}

/** Amendments are shown at the gate of a verdict only. */
const judgementNeeds = ({ run }: View, squad: string): Needs => ({
  nonVerifiers: [squad],
  verdicts: [squad],
  amendments: settingsOf(run).gates.t5Verdict,
})

/**
 * Starts a verifier for each slice without a verdict when the last task of a squad has finished, and the joint verdict
 * when the last verifier has judged. Where dependents wait for verdicts, a slice does not wait for the others.
 */
export function advance(view: View, brief: Brief): readonly Decision[] {
  if (!isAtRest(view)) return isPiecemeal(view) ? advanceSlice(view, brief) : []
  const ready = readyOf(view)
  if (ready.length === 0) return finishSquad(view)
  const unjudged = ready.filter((each) => verdictOn(view, each) === null)
  return unjudged.length > 0 ? [verify(unjudged)] : judge(view, ready)
}

const readyOf = (view: View): Brief[] =>
  (view.found.members[own(view).key] ?? []).filter(
    ({ phase, status }) => phase === 't4' && status === 'ready_for_verification',
  )

/** Returns the verdict on the newest attempt of a brief; older ones do not count. */
function verdictOn(view: View, { id, attempts }: Brief): Verdict | null {
  const verdict = view.found.verdicts[id]
  return verdict !== undefined && verdict.attempt === attempts ? verdict : null
}

const verify = (briefs: readonly Brief[]): Decision => ({
  kind: 'verify_briefs',
  briefs,
  event: line('T5', 'VERIFY_START', `${counted(briefs.length, 'verifier')} may start`, {
    workstream: dataOfBrief(briefs[0] as Brief).workstream as string,
  }),
})

/** Advances a single slice, because a dependent may be waiting for it alone. */
function advanceSlice(view: View, brief: Brief): readonly Decision[] {
  const ready = readyOf(view).find(({ id }) => id === brief.id)
  if (ready === undefined) return []
  const verdict = verdictOn(view, ready)
  if (verdict === null) return [verify([ready])]
  return verdict.verdict === 'pass' ? pass([ready]) : aggregate(view, [ready], [resultOf(ready, verdict)])
}

/** Lets the squad's lead judge two or more slices together; without a lead, or with one slice, the engine aggregates. */
function judge(view: View, ready: readonly Brief[]): readonly Decision[] {
  const results = ready.map((brief) => resultOf(brief, verdictOn(view, brief) as Verdict))
  const { path } = dataOf<SquadData>(own(view))
  const known = verdictStepOf(view)
  if (results.length < 2 || !path.includes('t3') || known?.status === 'cancelled')
    return aggregate(view, ready, results)
  const step = verdictStep(view, ready, results)
  return [known === null ? addStep(view, step) : repeatStep(known, step, 'there are new results')]
}

const verdictStepOf = (view: View): Brief | null =>
  (view.found.members[own(view).key] ?? []).find(({ phase }) => phase === 't3_verdict') ?? null

function verdictStep(view: View, ready: readonly Brief[], results: readonly SliceResult[]): Step {
  const squad = own(view)
  const { workstream, squad: name } = squadNames(squad.key)
  return {
    key: keys.verdict(workstream, name),
    phase: 't3_verdict',
    tier: 't3',
    title: `Judge the work of ${workstream}/${name}`,
    objective: 'Compare all results and give one joint verdict.',
    part: squad.key,
    label: `verdict ${workstream}/${name}`,
    workstream,
    ownerId: (ready[0] as Brief).ownerId,
    receives: ready.slice(0, mostReceived).map(({ key }) => key),
    inputs: {
      workstream,
      squad: name,
      tier_path: dataOf<SquadData>(squad).path,
      tasks: ready.map((brief) => ({ scope: scopeOf(brief), title: brief.title, files: dataOfBrief(brief).files })),
      t5_results: results,
      // The engine replaces it by the outputs, checks and verdicts of the squad when the step starts.
      results: { part: squad.key } satisfies ResultsRequest,
    },
  }
}

const resultOf = (
  brief: Brief,
  { verdict, issues, missingEvidence, notes, verifierBriefId }: Verdict,
): SliceResult => ({
  verifier_id: verifierBriefId,
  scope: scopeOf(brief),
  verdict: verdict === 'pass' ? 'pass' : 'fail',
  issues: [...missingEvidence.map((evidence) => `missing evidence: ${evidence}`), ...issues],
  notes,
})

/** Forms the joint verdict on behalf of a lead that does not exist or has nothing to compare. */
function aggregate(view: View, ready: readonly Brief[], results: readonly SliceResult[]): readonly Decision[] {
  const failed = results.filter(({ verdict }) => verdict === 'fail').map(({ scope }) => scope)
  const joint =
    failed.length === 0 ? 'pass' : failed.length === results.length && results.length > 1 ? 'fail' : 'partial'
  const summary = failed.length === 0 ? 'every slice passes' : `${listed(failed, 10)} failed`
  const verdict: JointVerdict = { t5_results: [...results], joint_verdict: joint, failed_scopes: failed, summary }
  const { workstream } = squadNames(own(view).key)
  return conclude(view, ready, verdict, ready[0] as Brief, `engine for t3/${workstream}`)
}

export function faultsOfVerdict(
  { inputs }: Brief,
  { t5_results: results, joint_verdict: joint, failed_scopes: failed }: JointVerdict,
): string[] {
  const given = (inputs['t5_results'] ?? []) as readonly SliceResult[]
  const listedResults = new Map(results.map((result) => [result.scope, result]))
  const scopes = new Set([...given.map(({ scope }) => scope), integrationScope])
  const failing = results.filter(({ verdict }) => verdict === 'fail').map(({ scope }) => scope)
  return [
    ...given
      .filter(({ scope }) => !listedResults.has(scope))
      .map(({ scope }) => `t5_results leaves out the result of "${scope}"`),
    ...given
      .filter(({ scope, verdict }) => listedResults.has(scope) && listedResults.get(scope)?.verdict !== verdict)
      .map(({ scope, verdict }) => `the verdict of the verifier of "${scope}" is ${verdict}`),
    ...[...listedResults.keys(), ...failed]
      .filter((scope) => !scopes.has(scope))
      .map((scope) => `there is no scope "${scope}"`),
    ...(joint === 'pass' ? failing.map((scope) => `joint_verdict is pass despite a failing result: ${scope}`) : []),
    ...failing.filter((scope) => !failed.includes(scope)).map((scope) => `failed_scopes leaves out "${scope}"`),
    ...(joint === 'pass' && failed.length > 0
      ? [`joint_verdict is pass, but failed_scopes names ${failed.join(', ')}`]
      : []),
    ...(joint !== 'pass' && failed.length === 0
      ? [`a joint_verdict of ${joint} must name its failures in failed_scopes`]
      : []),
  ]
}

/** Applies the joint verdict of a squad's lead. */
export function onJointVerdict(view: View, brief: Brief, verdict: JointVerdict): readonly Decision[] {
  const by = `t3/${squadNames(own(view).key).workstream}`
  const ready = readyOf(view)
  if (ready.length === 0) return [passStep(brief), ...finishSquad(view)]
  return [passStep(brief), ...conclude(view, ready, onThose(ready, verdict), brief, by)]
}

/** Limits a verdict to the tasks that were not cancelled in the meantime. */
function onThose(ready: readonly Brief[], verdict: JointVerdict): JointVerdict {
  const scopes = new Set([...ready.map(scopeOf), integrationScope])
  const failed = verdict.failed_scopes.filter((scope) => scopes.has(scope))
  return {
    ...verdict,
    t5_results: verdict.t5_results.filter(({ scope }) => scopes.has(scope)),
    failed_scopes: failed,
    joint_verdict: failed.length === 0 ? 'pass' : verdict.joint_verdict,
  }
}

function conclude(
  view: View,
  ready: readonly Brief[],
  verdict: JointVerdict,
  author: Brief,
  by: string,
): readonly Decision[] {
  const squad = own(view)
  const { workstream, squad: name } = squadNames(squad.key)
  const failed = failedOf(ready, verdict)
  const isUsedUp = failed.some(({ retriesUsed, retryBudget }) => retriesUsed >= retryBudget)
  const joint = verdict.joint_verdict === 'partial' && isUsedUp ? 'fail' : verdict.joint_verdict
  const whole: JointVerdict = { ...verdict, joint_verdict: joint }
  const logged: Decision[] = [
    { kind: 'write_document', brief: author, name: documents.verdict(workstream, name), content: whole },
    log({
      kind: 'joint_verdict',
      ...line('T5', 'VERDICT', headlineOf(whole, `${workstream}/${name}`, failed), {
        by,
        workstream,
        level: joint === 'pass' ? 'verbose' : 'normal',
        data: { joint_verdict: joint, failed_scopes: whole.failed_scopes, squad: name },
      }),
    }),
  ]
  if (joint === 'fail') return [...logged, ...escalateSquad(view, squad, failed, whole, correctionsOf)]
  if (joint === 'partial') return [...logged, ...rework(ready, failed, whole)]
  if (!settingsOf(view.run).gates.t5Verdict) return [...logged, ...pass(ready)]
  return [
    ...logged,
    {
      kind: 'open_gate',
      gate: 't5_verdict',
      part: squad.key,
      summary: verdictSummary(view, `${workstream}/${name}`, whole),
      message: `⏸ T5 verdict of ${workstream}/${name} ready for review`,
    },
  ]
}

const headlineOf = ({ joint_verdict: joint }: JointVerdict, squad: string, failed: readonly Brief[]): string => {
  if (joint === 'pass') return `✓ all pass — squad ${squad}`
  const names = listed(failed.map(taskIdOf), 5)
  return joint === 'fail' ? `fail — ${names}` : `partial — ${names} ${failed.length === 1 ? 'needs' : 'need'} rework`
}

const pass = (ready: readonly Brief[]): Decision[] => ready.map((brief) => passStep(brief, ''))

/** Returns the tasks to repeat; an issue without a scope of its own goes to the last task. */
function failedOf(ready: readonly Brief[], { joint_verdict: joint, failed_scopes: scopes }: JointVerdict): Brief[] {
  if (joint === 'pass') return []
  const named = ready.filter((brief) => scopes.includes(scopeOf(brief)))
  return named.length > 0 ? named : ready.slice(-1)
}

/** Repeats the failed tasks and those that depend on them; the others keep their verdict. */
function rework(ready: readonly Brief[], failed: readonly Brief[], verdict: JointVerdict): readonly Decision[] {
  return [
    ...failed.map((brief): Decision => ({
      kind: 'rework_brief',
      brief,
      counter: 'retries',
      corrections: correctionsOf(brief, verdict),
    })),
    ...dependentsOf(ready, failed).map(sendBack),
  ]
}

/** Maximum number of corrections that an implementer gets at once. */
const mostCorrections = 50

function correctionsOf(brief: Brief, { t5_results: results, summary }: JointVerdict): Correction[] {
  const about = results.filter(
    ({ scope, verdict }) => verdict === 'fail' && [scopeOf(brief), integrationScope].includes(scope),
  )
  const issues = about.flatMap(({ scope, issues: each, notes }) =>
    (each.length > 0 ? each : notes === '' ? [] : [notes]).map((detail) => ({
      evidence: scope === integrationScope ? 'how the pieces fit' : 'the verifier',
      detail: shorten(detail, 2_000),
    })),
  )
  if (issues.length > mostCorrections) {
    const shown = issues.slice(0, mostCorrections - 1)
    return [...shown, { evidence: 'the joint verdict', detail: `and ${issues.length - shown.length} more issues` }]
  }
  return issues.length > 0 ? issues : [{ evidence: 'the joint verdict', detail: shorten(summary, 2_000) }]
}

export const verdictGateNeeds = (view: View): Needs => ({
  ...judgementNeeds(view, own(view).key),
  ...finishNeeds(view),
})

export const onVerdictApproved = (view: View): readonly Decision[] =>
  pass(readyOf(view).filter((brief) => verdictOn(view, brief)?.verdict === 'pass'))

export const onVerdictRejected = (view: View, reason: string): readonly Decision[] =>
  readyOf(view).map((brief): Decision => ({ kind: 'send_back', brief, reason, class: 'rejected' }))
