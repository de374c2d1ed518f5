import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import type { Acceptance } from './contract.ts'
import { pathOf } from './escalate-ladder.ts'
import { documents, idOfWorkstream, isWorkstreamPart, wavePart, workstreamPart } from './base-names.ts'
import { proposeReplan } from './t1-replan.ts'
import { budgetOf, changedRun, runOf } from './base-state.ts'
import { passStep, line, log } from './base-steps.ts'
import { amendmentsOf } from './base-gate-summary.ts'

/** Returns the rows that a rejection may change. */
export const rejectionNeeds = (view: View, streams: readonly string[]): Needs => ({
  partsBelow: allWaves(view),
  groups: streams.length === 0 ? 'all' : streams,
  amendments: true,
})

const allWaves = (view: View): string[] => Array.from({ length: runOf(view).waves }, (_, index) => wavePart(index + 1))

const livingStreams = (view: View): Part[] =>
  allWaves(view)
    .flatMap((wave) => view.found.partsBelow[wave] ?? [])
    .filter(({ key, status }) => isWorkstreamPart(key) && status !== 'cancelled')

export const acceptFaultNeeds = (view: View): Needs => ({ partsBelow: allWaves(view) })

export function faultsOfAcceptance(view: View, brief: Brief, { decision, workstreams }: Acceptance): string[] {
  if (decision === 'accept' || brief.inputs['accept_scope'] !== 'final') return []
  const known = new Set(livingStreams(view).map(({ key }) => idOfWorkstream(key)))
  return workstreams.filter((id) => !known.has(id)).map((id) => `there is no workstream "${id}"`)
}

/** Handles T1's decision about the result: it ends the run, opens the merge gate, or repeats work. */
export function onResultAcceptance(view: View, brief: Brief, acceptance: Acceptance): readonly Decision[] {
  const written: Decision[] = [
    { kind: 'write_document', brief, name: documents.acceptance('final'), content: acceptance },
    passStep(brief),
  ]
  if (acceptance.decision === 'reject') return [...written, ...rejectResult(view, acceptance)]
  const isMerging = hasResult(view.run)
  // A paused run waits until the operator resumes it.
  const waits = view.run.status === 'paused'
  const logged = log(line('T1', 'ACCEPT', `accept(final) ✓ ${shorten(acceptance.reason, 200)}`, { brief }), [
    changedRun(view, { isMerging, ...(isMerging ? {} : { accepted: acceptance.reason }) }),
  ])
  if (waits) return [...written, logged]
  return [...written, logged, isMerging ? mergeGate(view) : endRun(view, acceptance.reason)]
}

/** Returns the reason of an acceptance; null: T1 has rejected the result. */
export function textOfAcceptance(document: unknown): string | null {
  const { decision, reason } = document as Acceptance
  return decision === 'accept' ? reason : null
}

const hasResult = ({ repository, head }: Run): boolean =>
  repository !== null && head !== null && head !== repository.base

export function endRun({ run }: View, reason: string): Decision {
  const made = run.briefsVerified + run.briefsDone
  // A run without a verified task is not done, even if T1 accepts it.
  if (made === 0) return { kind: 'end_run', status: 'cancelled', summary: 'every task was cancelled' }
  return {
    kind: 'end_run',
    status: 'done',
    summary: `${counted(made, 'brief')} done; T1 accepts: ${shorten(reason, 300)}`,
  }
}

/** Opens the gate before the merge: nothing enters the operator's repository without approval. */
export const mergeGate = (view: View): Decision => ({
  kind: 'open_gate',
  gate: 'merge',
  timeoutMinutes: null,
  summary: {
    produced: `T1 accepts the result; see "agency pr show ${view.run.id}".`,
    next: `Approve to merge the result into ${view.run.repository?.branch}; reject with a reason to repeat the work.`,
    anomalies: view.run.repository?.warnings ?? [],
    amendments: amendmentsOf(view),
  },
})

type Rejection = Pick<Acceptance, 'reason' | 'workstreams' | 'action'>

/** Sends the result back down, as often as T1's own retry budget allows; then asks the operator. */
export function rejectResult(view: View, { reason, workstreams, action }: Rejection): readonly Decision[] {
  const rejections = runOf(view).rejections + 1
  if (rejections <= budgetOf(view)) return repeatWork(view, { reason, workstreams, action }, rejections)
  return [
    log(line('T1', 'ACCEPT', `accept(final) ✗ ${shorten(reason, 200)}`), [
      changedRun(view, {
        rejections,
        isMerging: false,
        accepted: undefined,
        onResume: { what: 'rejected', reason, workstreams },
      }),
    ]),
    {
      kind: 'pause_and_ask',
      text: `The result was rejected ${rejections} times. Repeat the work?`,
      context: reason,
    },
  ]
}

export function repeatWork(
  view: View,
  { reason, workstreams, action }: Rejection,
  rejections: number,
): readonly Decision[] {
  const named = (id: string): boolean => workstreams.length === 0 || workstreams.includes(id)
  const streams = Object.entries(view.found.groups ?? {})
    .filter(([id]) => named(id))
    .map(([id, briefs]) => ({
      id,
      tasks: briefs.filter(({ phase, status }) => phase === 't4' && status === 'verified'),
    }))
    .filter(({ tasks }) => tasks.length > 0)
  const parts = livingStreams(view).filter(({ key }) => named(idOfWorkstream(key)))
  // Without a finished task there is nothing to repeat.
  if ((action === 'replan' || streams.length === 0) && parts.length > 0)
    return proposeReplan(view, parts, reason, rejections)
  if (streams.length === 0)
    return [
      log(line('T1', 'ACCEPT', `✗ ${shorten(reason, 200)}`), [
        changedRun(view, { rejections, isMerging: false, accepted: undefined }),
      ]),
      {
        kind: 'pause_and_ask',
        text: 'The result was rejected, and no task is left that could repeat it. Continue?',
        context: reason,
      },
    ]
  return [
    log(line('T1', 'ACCEPT', `✗ ${shorten(reason, 200)}`), [
      withoutResume(
        changedRun(view, { rejections, isMerging: false, accepted: undefined, redo: streams.map(({ id }) => id) }),
      ),
      ...streams.flatMap(({ id, tasks }) => [
        { key: workstreamPart(id), status: 'open' as const },
        ...[...new Set(tasks.map(({ part }) => part as string))].map((key) => ({ key, status: 'open' as const })),
      ]),
    ]),
    ...streams.flatMap(({ id, tasks }): Decision[] => {
      const to = `${pathOf(tasks[0] as Brief)[0] ?? 't4'}/${id}`
      return [
        log({
          kind: 'escalated',
          ...line('T1', 'ESCALATE', `t1 → ${to}: ${shorten(reason, 200)}`, {
            workstream: id,
            data: { from: 't1', to, class: 'rejected' },
          }),
        }),
        ...tasks.map((brief): Decision => ({ kind: 'send_back', brief, reason, class: 'rejected' })),
      ]
    }),
  ]
}

export const withoutResume = <Change extends { data?: Readonly<Record<string, unknown>> }>(change: Change): Change => ({
  ...change,
  data: { ...change.data, onResume: undefined },
})
