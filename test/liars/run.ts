import { spawnSync } from 'node:child_process'

import type { Lie, Variant } from './contract.ts'
import { judge, type Result } from './judge.ts'
import { openWorld, searchPath, type World } from './world.ts'

export interface Case {
  readonly lie: Lie
  readonly variant: Variant
  readonly isTwin: boolean
}

export interface Playing {
  readonly seed: number
  /** Number of cases that are played at the same time. */
  readonly jobs: number
  /** No case begins later; without it, all are played. */
  readonly withinMs?: number
  /** Keeps the folders with the home, the repositories and the programs. */
  readonly keep?: boolean
  readonly onResult?: (result: Result) => void
}

/** Returns the cases of lies and their twins in these variants. */
export const casesOf = (lies: readonly Lie[], variants: readonly Variant[], withTwins: boolean): Case[] =>
  lies.flatMap((lie) =>
    (lie.variants ?? ['direct', 'tiered'])
      .filter((variant) => variants.includes(variant))
      .flatMap((variant) => (withTwins ? [false, true] : [false]).map((isTwin) => ({ lie, variant, isTwin }))),
  )

/** Plays cases, those without a box after the others. */
export async function playCases(cases: readonly Case[], playing: Playing): Promise<Result[]> {
  const { jobs, withinMs = Infinity } = playing
  const endMs = performance.now() + withinMs
  const results: Result[] = []
  // The few cases without a box come first, so that a limit of time leaves out no family of its own.
  for (const unboxed of [true, false]) {
    const chosen = cases.filter(({ lie }) => (lie.unboxed ?? false) === unboxed)
    if (chosen.length === 0) continue
    const world = await openWorld({ boxed: !unboxed, slots: jobs * 2, keep: playing.keep ?? false })
    try {
      await playIn(world, chosen, playing, endMs, (result) => {
        results.push(result)
        playing.onResult?.(result)
      })
    } finally {
      await world.close()
    }
  }
  return results
}

async function playIn(
  world: World,
  cases: readonly Case[],
  { seed, jobs }: Playing,
  endMs: number,
  onResult: (result: Result) => void,
): Promise<void> {
  const left = [...cases]
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      while (performance.now() < endMs) {
        const next = left.shift()
        if (next === undefined) return
        onResult(await judge(world, next.lie, next.variant, next.isTwin, seed))
      }
    }),
  )
}

/** Returns the lies whose programs this machine has, and the names of the others. */
export function playable(lies: readonly Lie[]): { lies: Lie[]; skipped: string[] } {
  const has = new Map<string, boolean>()
  const isThere = (name: string): boolean => {
    const known =
      has.get(name) ?? spawnSync('sh', ['-c', `command -v ${name}`], { env: { PATH: searchPath } }).status === 0
    has.set(name, known)
    return known
  }
  const lacking = (lie: Lie): string[] => (lie.needs ?? []).filter((name) => !isThere(name))
  return {
    lies: lies.filter((lie) => lacking(lie).length === 0),
    skipped: lies.flatMap((lie) => lacking(lie).map((name) => `${lie.family}/${lie.name} (${name} is not installed)`)),
  }
}
