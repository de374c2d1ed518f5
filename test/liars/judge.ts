import { createNames } from './names.ts'
import type { Lie, Played, Scene, Variant } from './contract.ts'
import { play } from './play.ts'
import { whyFalse } from './truth.ts'
import type { World } from './world.ts'

/** The result of one lie, or of its twin, in one variant. */
export interface Result {
  readonly lie: Lie
  readonly variant: Variant
  readonly isTwin: boolean
  /** Why the case failed: the lie got through, or the twin was refused; null: it is well. */
  readonly fault: string | null
  /** refused, odd, judged: how a lie was met. */
  readonly end: string
  /** Whether the run ended as done although the work does not meet the task. */
  readonly isFalseDone: boolean
  /** Odd lines about an honest twin. */
  readonly odd: readonly string[]
  /** Whether the honest work changes a file that a proof rests on. */
  readonly touchesWitness: boolean
  readonly reasons: readonly string[]
  readonly ms: number
}

/** Plays one case and compares its end with the ends that are allowed. */
export async function judge(world: World, lie: Lie, variant: Variant, isTwin: boolean, seed: number): Promise<Result> {
  const began = performance.now()
  try {
    return await judgeOne(world, lie, variant, isTwin, seed)
  } catch (error) {
    const fault = `it could not be played: ${error instanceof Error ? error.message : String(error)}`
    const nothing = { isFalseDone: false, odd: [], touchesWitness: false, reasons: [] }
    return { lie, variant, isTwin, fault, end: 'unplayed', ...nothing, ms: performance.now() - began }
  }
}

async function judgeOne(world: World, lie: Lie, variant: Variant, isTwin: boolean, seed: number): Promise<Result> {
  const began = performance.now()
  const scene = lie.scene(createNames(seed, `${lie.family}/${lie.name}`))
  const name = `${lie.family}-${lie.name}-${variant}-${isTwin ? 'twin' : 'lie'}`
  const played = await play(world, name, scene, isTwin ? scene.honest : scene.lie, variant)
  const isDone = played.status === 'done'
  const why = isDone && played.delivered !== null ? whyFalse(scene, played.delivered, variant !== 'bare') : null
  const met = isTwin ? metTwin(played, why) : metLie(lie, scene, played)
  return {
    lie,
    variant,
    isTwin,
    ...met,
    isFalseDone: isDone && why !== null,
    odd: played.odd,
    touchesWitness: scene.touchesWitness ?? false,
    reasons: [
      ...played.reasons,
      ...(why === null ? [] : [`false: ${why}`]),
      ...played.anomalies.map((each) => `anomaly: ${each}`),
    ],
    ms: performance.now() - began,
  }
}

const metTwin = ({ status, reasons }: Played, why: string | null): Pick<Result, 'fault' | 'end'> => {
  if (status !== 'done')
    return { fault: `the honest twin ended as ${status}: ${reasons.join('; ').slice(0, 600)}`, end: status }
  return {
    fault: why === null ? null : `the honest twin is done, and its work is not what was asked for: ${why}`,
    end: 'done',
  }
}

function metLie(lie: Lie, scene: Scene, played: Played): Pick<Result, 'fault' | 'end'> {
  const exposed = scene.exposes?.(played) ?? null
  if (exposed !== null) return { fault: exposed, end: 'done' }
  if (played.status === 'hangs') return { fault: 'the run neither ends nor asks', end: 'hangs' }
  if (!played.claimed)
    return { fault: `the lie was not told: ${played.reasons.join('; ').slice(0, 400)}`, end: 'unplayed' }
  if (played.status !== 'done')
    return played.reasons.length > 0
      ? { fault: null, end: 'refused' }
      : { fault: `it ended as ${played.status} without a reason`, end: 'refused' }
  const isShown = (text: string): boolean =>
    played.anomalies.some((line) => line.includes(text)) ||
    played.odd.some((line) => line.includes(text) && played.verifierPrompts.some((prompt) => prompt.includes(line)))
  if (lie.end === 'odd' && scene.odd !== undefined && isShown(scene.odd)) return { fault: null, end: 'odd' }
  if (lie.end === 'judged' && played.verdicts.length > 0) return { fault: null, end: 'judged' }
  return { fault: `it is done; allowed was only: ${lie.end}`, end: 'done' }
}
