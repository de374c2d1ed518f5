import { pause } from '../../src/kernel/clock.ts'

/** An attack on one boundary of the product, with a control without which its failure would prove nothing. */
export interface Attack<Stage> {
  readonly name: string
  /**
   * Must return true. It plays the same attack where it may succeed: without the protection, with the right to do it, or
   * in the harmless form that must keep working.
   */
  readonly control: (stage: Stage) => Promise<boolean>
  /** Must return false: true means that the attack reached its target. */
  readonly attack: (stage: Stage) => Promise<boolean>
  /** Returns why it cannot be played here, or null. */
  readonly skip?: () => string | null
  /** A long attack is played by `npm run attacks` alone. */
  readonly isLong?: true
}

/** Attacks that share a stage, such as a daemon with one running agent. */
export interface Family {
  readonly name: string
  readonly about: string
  readonly attacks: readonly Pick<Attack<unknown>, 'name' | 'skip' | 'isLong'>[]
  /**
   * Opens the stage, plays these attacks one after the other or `jobs` at a time, and closes it. With a limit, attacks
   * that have not begun after this time are skipped.
   */
  play(names: readonly string[], onResult: (result: AttackResult) => void, withinMs?: number): Promise<void>
}

export interface AttackResult {
  readonly family: string
  readonly name: string
  readonly skipped?: string
  readonly control?: boolean
  readonly breached?: boolean
  /** An attack that could not be played is a fault. */
  readonly error?: string
  readonly ms: number
}

export interface FamilyOptions<Stage> {
  readonly name: string
  readonly about: string
  readonly open: () => Promise<Stage>
  readonly close?: (stage: Stage) => Promise<void>
  readonly attacks: readonly Attack<Stage>[]
  /** Attacks at the same time; 1 by default, because most of them share the stage. */
  readonly jobs?: number
}

export function defineFamily<Stage>({
  name: family,
  about,
  open,
  close,
  attacks,
  jobs = 1,
}: FamilyOptions<Stage>): Family {
  return {
    name: family,
    about,
    attacks,
    play: async (names, onResult, withinMs = Infinity) => {
      const pending = attacks.filter(({ name }) => names.includes(name))
      const stage = await open()
      const endMs = performance.now() + withinMs
      try {
        await Promise.all(
          Array.from({ length: jobs }, async () => {
            for (let next = pending.shift(); next !== undefined; next = pending.shift())
              onResult({
                family,
                name: next.name,
                ...(performance.now() > endMs ? beyondShare : await resultOf(next, stage)),
              })
          }),
        )
      } finally {
        await close?.(stage)
      }
    },
  }
}

const beyondShare = { skipped: 'beyond the share of this run; npm run attacks plays it', ms: 0 }

async function resultOf<Stage>(
  { control, attack, skip }: Attack<Stage>,
  stage: Stage,
): Promise<Omit<AttackResult, 'family' | 'name'>> {
  const began = performance.now()
  const skipped = skip?.() ?? null
  if (skipped !== null) return { skipped, ms: 0 }
  try {
    const allowed = await succeeds(() => control(stage))
    const breached = await attack(stage)
    return { control: allowed, breached, ms: performance.now() - began }
  } catch (error) {
    return {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      ms: performance.now() - began,
    }
  }
}

/**
 * Tries a control again: on a busy machine an answer may come too late, or an earlier attack is still being cleared away.
 * An attack has one chance.
 */
async function succeeds(control: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 1; tries < 3; tries += 1) {
    if (await control()) return true
    await pause(500)
  }
  return control()
}

/** Returns the fault of a result, or null. */
export function faultOf({ skipped, error, control, breached }: AttackResult): string | null {
  if (skipped !== undefined) return null
  if (error !== undefined) return error
  if (control !== true) return 'its control failed, so the attack proves nothing'
  return breached === true ? 'it broke through' : null
}
