import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import type { Acceptance } from './contract.ts'
import { pathOf } from './escalate-ladder.ts'
import { counted, documents, idOfWorkstream, isWorkstreamPart, wavePart, workstreamPart } from './base-names.ts'
import { proposeReplan } from './t1-replan.ts'
import { budgetOf, changedRun, runOf } from './base-state.ts'
import { passed, say, tell } from './base-steps.ts'
import { amendmentsOf } from './base-gate-summary.ts'

/** Everything that a rejection may touch. */
export const rejectionNeeds = (view: View, streams: readonly string[]): Needs => ({
  partsBelow: allWaves(view),
  workstreams: streams.length === 0 ? 'all' : streams,
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

/** T1 has compared the result with the goal. */
export function resultJudged(view: View, brief: Brief, acceptance: Acceptance): readonly Decision[] {
  const written: Decision[] = [
    { kind: 'write_document', brief, name: documents.acceptance('final'), content: acceptance },
    passed(brief),
  ]
  if (acceptance.decision === 'reject') return [...written, ...rejected(view, acceptance)]
  const isMerging = hasResult(view.run)
  // Who paused it lets it go on first.
  const waits = view.run.status === 'paused'
  const told = tell(say('T1', 'ACCEPT', `accept(final) ✓ ${shorten(acceptance.reason, 200)}`, { brief }), [
    changedRun(view, { isMerging, ...(waits && !isMerging ? { accepted: acceptance.reason } : {}) }),
  ])
  if (waits) return [...written, told]
  return [...written, told, isMerging ? mergeGate(view) : end(view, acceptance.reason)]
}

const hasResult = ({ repository, head }: Run): boolean =>
  repository !== null && head !== null && head !== repository.base

export function end({ run }: View, reason: string): Decision {
  const made = run.briefsVerified + run.briefsDone
  // Accepting nothing does not make it something.
  if (made === 0) return { kind: 'end_run', status: 'cancelled', summary: 'every task was cancelled' }
  return {
    kind: 'end_run',
    status: 'done',
    summary: `${counted(made, 'brief')} done; T1 accepts: ${shorten(reason, 300)}`,
  }
}

/** Nothing comes into the operator's repository without her word. */
export const mergeGate = (view: View): Decision => ({
  kind: 'open_gate',
  gate: 'merge',
  timeoutMinutes: null,
  summary: {
    produced: `T1 accepts the result; see "agency pr show ${view.run.id}".`,
    next: `Approve and it is merged into ${view.run.repository?.branch}; reject with a reason and the work is done again.`,
    anomalies: view.run.repository?.warnings ?? [],
    amendments: amendmentsOf(view),
  },
})

type Rejection = Pick<Acceptance, 'reason' | 'workstreams' | 'action'>

/** Back down, as often as T1's own budget allows; then the operator is asked. */
export function rejected(view: View, { reason, workstreams, action }: Rejection): readonly Decision[] {
  const rejections = runOf(view).rejections + 1
  if (rejections <= budgetOf(view)) return goBack(view, { reason, workstreams, action }, rejections)
  return [
    tell(say('T1', 'ACCEPT', `accept(final) ✗ ${shorten(reason, 200)}`), [
      changedRun(view, { rejections, isMerging: false, onResume: { what: 'rejected', reason, workstreams } }),
    ]),
    {
      kind: 'pause_and_ask',
      text: `The result was rejected ${rejections} times. Shall it be done again?`,
      context: reason,
    },
  ]
}

export function goBack(
  view: View,
  { reason, workstreams, action }: Rejection,
  rejections: number,
): readonly Decision[] {
  const named = (id: string): boolean => workstreams.length === 0 || workstreams.includes(id)
  const streams = Object.entries(view.found.workstreams ?? {})
    .filter(([id]) => named(id))
    .map(([id, briefs]) => ({
      id,
      tasks: briefs.filter(({ phase, status }) => phase === 't4' && status === 'verified'),
    }))
    .filter(({ tasks }) => tasks.length > 0)
  const parts = livingStreams(view).filter(({ key }) => named(idOfWorkstream(key)))
  // Where nothing was made there is nothing to make again.
  if ((action === 'replan' || streams.length === 0) && parts.length > 0)
    return proposeReplan(view, parts, reason, rejections)
  if (streams.length === 0)
    return [
      tell(say('T1', 'ACCEPT', `✗ ${shorten(reason, 200)}`), [changedRun(view, { rejections, isMerging: false })]),
      { kind: 'pause_and_ask', text: 'The result was rejected, and no task could do it again.', context: reason },
    ]
  return [
    tell(say('T1', 'ACCEPT', `✗ ${shorten(reason, 200)}`), [
      withoutResume(changedRun(view, { rejections, isMerging: false, redo: streams.map(({ id }) => id) })),
      ...streams.flatMap(({ id, tasks }) => [
        { key: workstreamPart(id), status: 'open' as const },
        ...[...new Set(tasks.map(({ part }) => part as string))].map((key) => ({ key, status: 'open' as const })),
      ]),
    ]),
    ...streams.flatMap(({ id, tasks }): Decision[] => {
      const to = `${pathOf(tasks[0] as Brief)[0] ?? 't4'}/${id}`
      return [
        tell({
          kind: 'escalated',
          ...say('T1', 'ESCALATE', `t1 → ${to}: ${shorten(reason, 200)}`, {
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
