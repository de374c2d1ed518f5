import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { designBriefs, designDocuments } from './t2-design.ts'
import { idOfWorkstream, keys, nextRevision, runPart, wavePart, workstreamPart } from './base-names.ts'
import { changedRun, dataOf, partOf, runOf, type WorkstreamData } from './base-state.ts'
import { line, log } from './base-steps.ts'
import { amendmentsOf } from './base-gate-summary.ts'
import { bullets } from './base-text.ts'
import { openWave } from './base-waves.ts'
import { withChanges } from './base-view.ts'

/** T1 discards workstreams and starts them again; the operator approves that, as with the first plan. */
export function proposeReplan(
  view: View,
  parts: readonly Part[],
  reason: string,
  rejections: number,
): readonly Decision[] {
  const streams = parts.map((part) => {
    const data = dataOf<WorkstreamData>(part)
    const from = idOfWorkstream(part.key)
    const revision = data.revision + 1
    return {
      id: nextRevision(from, revision),
      from,
      parent: part.parent as string,
      data: { ...data, revision, isDesigned: !data.path.includes('t2') },
    }
  })
  const replan = Object.fromEntries(
    streams.map(({ id, from, parent }) => [id, { from, wave: Number(parent.slice('wave:'.length)) }]),
  )
  return [
    ...streams.map(({ id, from }) =>
      log({
        kind: 'escalated',
        ...line('T1', 'ESCALATE', `t1 → ${from}: replanned as ${id}: ${shorten(reason, 200)}`, {
          workstream: from,
          data: { from: 't1', to: from, class: 'replan' },
        }),
      }),
    ),
    log(line('T1', 'PLAN_DONE', `${counted(streams.length, 'workstream')} replanned`), [
      changedRun(view, { replan, rejections, isMerging: false, accepted: undefined }),
      ...streams.map(({ id, parent, data }) => ({
        key: workstreamPart(id),
        parent,
        status: 'waiting' as const,
        data: { ...data },
      })),
    ]),
    {
      kind: 'open_gate',
      gate: 't1_plan',
      part: runPart,
      summary: {
        produced: [
          `T1 rejected the result: ${shorten(reason, 1_000)}`,
          bullets(
            streams.map(({ id, from, data }) => `${id} instead of ${from}: ${data.path.join(' → ')}`),
            40,
          ),
        ].join('\n'),
        next: `Approve to ${startAgain(view)}; reject with a reason to let T1 decide again.`,
        anomalies: [],
        amendments: amendmentsOf(view),
      },
      message: '⏸ Waiting on approval of replanned workstreams',
    },
  ]
}

/** Merged work is never removed from the branch of a run. */
const startAgain = ({ run }: View): string =>
  run.repository === null
    ? 'discard their work and start them again'
    : 'start them again: merged work stays in the branch, and the new workstream begins with it and has to undo its faults'

export function replanNeeds(view: View): Needs {
  const { replan = {} } = runOf(view)
  const waves = [...new Set(Object.values(replan).map(({ wave }) => wavePart(wave)))]
  return {
    parts: [...waves, ...Object.keys(replan).map(workstreamPart)],
    partsBelow: waves,
    groups: Object.values(replan).map(({ from }) => from),
    documents: designDocuments,
    briefs: [...designBriefs, keys.acceptFinal],
  }
}

export function startReplanned(view: View): readonly Decision[] {
  const { replan = {} } = runOf(view)
  const streams = Object.entries(replan).map(([id, { from, wave }]) => ({
    id,
    from,
    wave,
    data: dataOf<WorkstreamData>(partOf(view, workstreamPart(id))),
  }))
  const discarded = streams.flatMap(({ from }) => view.found.groups?.[from] ?? [])
  const living = discarded.filter(({ status }) => status !== 'cancelled' && status !== 'done')
  const squads = [...new Set(discarded.map(({ part }) => part ?? ''))].filter((part) => part.startsWith('sq:'))
  const change = changedRun(view, { redo: streams.map(({ id }) => id) })
  const known = { ...change, data: { ...change.data, replan: undefined } }
  const next = withChanges(view, [known])
  return [
    ...(living.length === 0
      ? []
      : [{ kind: 'cancel_briefs', briefs: living, reason: 'its workstream is replanned' } satisfies Decision]),
    log({ tier: 'T1', message: `${streams.map(({ from, id }) => `${from} → ${id}`).join(', ')}` }, [
      known,
      ...squads.map((key) => ({ key, status: 'cancelled' as const })),
      ...streams.map(({ from }) => ({ key: workstreamPart(from), status: 'cancelled' as const })),
      ...streams.map(({ id }) => ({ key: workstreamPart(id), status: 'open' as const })),
    ]),
    ...[...Map.groupBy(streams, ({ wave }) => wave)].flatMap(([wave, group]) => openWave(next, wave, group)),
  ]
}

export function onReplanRejected(view: View, reason: string): readonly Decision[] {
  const { replan = {} } = runOf(view)
  const change = changedRun(view, {})
  return [
    log({ tier: 'T1', level: 'verbose', message: 'T1 decides again' }, [
      { ...change, data: { ...change.data, replan: undefined } },
      ...Object.keys(replan).map((id) => ({ key: workstreamPart(id), status: 'cancelled' as const })),
    ]),
    { kind: 'send_back', brief: view.found.briefs[keys.acceptFinal] as Brief, reason, class: 'rejected' },
  ]
}
