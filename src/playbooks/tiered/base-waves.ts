import type { Part } from '../../work/parts/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { type Designed, design, designBriefs, designDocuments, plannedOf } from './t2-design.ts'
import { finishWork } from './t1-finish.ts'
import { idOfWorkstream, isWorkstreamPart, keys, wavePart } from './base-names.ts'
import { openStreams } from './t3-squads.ts'
import { above, changedRun, dataOf, own, partOf, runOf, waveNumber, type WorkstreamData } from './base-state.ts'
import { say, tell } from './base-steps.ts'
import { withChanges } from './base-view.ts'

/** What has to be there to open a wave. */
export const waveNeeds = (wave: number): Needs => ({
  documents: designDocuments,
  briefs: [...designBriefs, keys.summary, keys.acceptFinal],
  partsBelow: [wavePart(wave)],
})

/** Those with an architecture begin with T2, the others go to work at once. */
export function openWave(view: View, wave: number, streams: readonly Designed[]): readonly Decision[] {
  const direct = streams
    .filter(({ data }) => !data.path.includes('t2'))
    .map((stream) => ({
      ...stream,
      planned: plannedOf(view, stream.id),
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

/** Its branch has reached the one above it. */
export function workstreamDone(view: View): readonly Decision[] {
  const part = own(view)
  const id = idOfWorkstream(part.key)
  if (part.status !== 'open') return []
  const { redo } = runOf(view)
  const left = redo.filter((other) => other !== id)
  const told = tell(
    say('T5', 'VERDICT', `✓ all pass — workstream ${id} done`, { workstream: id, data: { workstream: id } }),
    [{ key: part.key, status: 'done' }, ...(redo.length > 0 ? [changedRun(view, { redo: left })] : [])],
  )
  if (redo.length > 0) return [told, ...(left.length === 0 ? finishWork(view) : [])]
  const wave = above(view, 'wave:')
  const { open = 0, waiting = 0 } = view.found.countBelow[wave.key] ?? {}
  // Itself is still counted as open.
  return open + waiting > 1 ? [told] : [told, ...nextWave(view, wave)]
}

function nextWave(view: View, wave: Part): readonly Decision[] {
  const next = waveNumber(wave) + 1
  if (next > runOf(view).waves) return finishWork(view)
  const streams = streamsOf(view, next).filter(({ part }) => part.status === 'waiting')
  const part = partOf(view, wavePart(next))
  const change = changedRun(view, { wave: next })
  return [
    tell({ tier: 'T1', level: 'verbose', message: `group ${String(part.data['group'])} begins` }, [
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

/** The workstreams of a wave that were asked for. */
export const streamsOf = (view: View, wave: number): StreamPart[] =>
  (view.found.partsBelow[wavePart(wave)] ?? [])
    .filter(({ key }) => isWorkstreamPart(key))
    .map((part) => ({ id: idOfWorkstream(part.key), data: dataOf<WorkstreamData>(part), part }))
