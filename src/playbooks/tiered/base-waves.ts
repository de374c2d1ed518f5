import type { Part } from '../../work/parts/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { type Designed, design, designBriefs, designDocuments, plannedWorkstream } from './t2-design.ts'
import { finishWork } from './t1-finish.ts'
import { idOfWorkstream, isWorkstreamPart, keys, wavePart } from './base-names.ts'
import { openStreams } from './t3-squads.ts'
import { above, changedRun, dataOf, own, partOf, runOf, waveNumber, type WorkstreamData } from './base-state.ts'
import { line, log } from './base-steps.ts'
import { withChanges } from './base-view.ts'

/** Returns the rows that opening a wave needs. */
export const waveNeeds = (wave: number): Needs => ({
  documents: designDocuments,
  briefs: [...designBriefs, keys.summary, keys.acceptFinal],
  partsBelow: [wavePart(wave)],
})

/** Opens the workstreams of a wave. Those with T2 on their path begin with a design; the others start at once. */
export function openWave(view: View, wave: number, streams: readonly Designed[]): readonly Decision[] {
  const direct = streams
    .filter(({ data }) => !data.path.includes('t2'))
    .map((stream) => ({
      ...stream,
      planned: plannedWorkstream(view, stream.id),
      ownerId: view.found.briefs[keys.plan]?.id ?? null,
    }))
  return [
    ...design(
      view,
      wave,
      streams.filter(({ data }) => data.path.includes('t2')),
    ),
    ...openStreams(view, wave, direct),
  ]
}

/** Completes a workstream whose branch was merged into the one above it. */
export function onWorkstreamMerged(view: View): readonly Decision[] {
  const part = own(view)
  const id = idOfWorkstream(part.key)
  if (part.status !== 'open') return []
  const { redo } = runOf(view)
  const left = redo.filter((other) => other !== id)
  const logged = log(
    line('T5', 'VERDICT', `✓ all pass — workstream ${id} done`, { workstream: id, data: { workstream: id } }),
    [{ key: part.key, status: 'done' }, ...(redo.length > 0 ? [changedRun(view, { redo: left })] : [])],
  )
  if (redo.length > 0) return [logged, ...(left.length === 0 ? finishWork(view) : [])]
  const wave = above(view, 'wave:')
  const { open = 0, waiting = 0 } = view.found.countBelow[wave.key] ?? {}
  // This workstream still counts as open.
  return open + waiting > 1 ? [logged] : [logged, ...nextWave(view, wave)]
}

function nextWave(view: View, wave: Part): readonly Decision[] {
  const next = waveNumber(wave) + 1
  if (next > runOf(view).waves) return finishWork(view)
  const streams = streamsOf(view, next).filter(({ part }) => part.status === 'waiting')
  const part = partOf(view, wavePart(next))
  const change = changedRun(view, { wave: next })
  return [
    log({ tier: 'T1', level: 'verbose', message: `group ${String(part.data['group'])} starts` }, [
      { key: wave.key, status: 'done' },
      change,
      { key: part.key, status: 'open' },
      ...streams.map(({ part: each }) => ({ key: each.key, status: 'open' as const })),
    ]),
    ...openWave(withChanges(view, [change]), next, streams),
  ]
}

export interface StreamPart extends Designed {
  readonly part: Part
}

/** Returns the workstreams of a wave, as far as `needs` asked for them. */
export const streamsOf = (view: View, wave: number): StreamPart[] =>
  (view.found.partsBelow[wavePart(wave)] ?? [])
    .filter(({ key }) => isWorkstreamPart(key))
    .map((part) => ({ id: idOfWorkstream(part.key), data: dataOf<WorkstreamData>(part), part }))
