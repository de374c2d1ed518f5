import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { type Answering, startAnswering } from './answering.ts'
import { atLeast, type Benchmark, type BenchOptions, type Figure, median, withoutTarget } from './figures.ts'

const playbooks = ['direct', 'tiered'] as const
type Playbook = (typeof playbooks)[number]

export interface WorldsRequest {
  readonly playbook: Playbook
  readonly start: number
  readonly seeds: number
}

const seedsPerRound: Record<Playbook, number> = { direct: 40, tiered: 16 }

/**
 * Seeds that the simulation plays per second of processor time; each core plays as many. `--against <checkout>` compares
 * them with those of another commit, in turns, on the same seeds and each in a process of its own.
 */
export const sim: Benchmark = {
  name: 'sim',
  run: async (options) => {
    const here = fileURLToPath(new URL('..', import.meta.url))
    const checkouts = [here, ...(options.against === undefined ? [] : [resolve(options.against)])]
    const sides: Answering[] = []
    for (const checkout of checkouts) sides.push(await startAnswering('sim-side.ts', ['--checkout', checkout]))
    const figures: Figure[] = []
    for (const playbook of playbooks) figures.push(...figuresOf(playbook, await measure(sides, playbook, options)))
    for (const side of sides) await side.stop()
    return figures
  },
}

/** Returns the microseconds per seed of each side in each round. */
async function measure(
  sides: readonly Answering[],
  playbook: Playbook,
  { quick, log }: BenchOptions,
): Promise<readonly number[][]> {
  const seeds = seedsPerRound[playbook]
  for (const side of sides) await side.ask({ playbook, start: 1, seeds })
  const micros: number[][] = sides.map(() => [])
  for (let round = 0; round < (quick ? 3 : 9); round++) {
    // The order alternates, because the machine's state differs between the first and the last.
    const order = sides.map((_, index) => (round % 2 === 0 ? index : sides.length - 1 - index))
    const start = 1_000 + round * seeds
    for (const index of order)
      micros[index]?.push((await (sides[index] as Answering).ask<number>({ playbook, start, seeds })) / seeds)
    log(`a world of ${playbook}: ${micros.map((each) => `${each.at(-1)?.toFixed(0)} µs`).join(', before: ')}`)
  }
  return micros
}

function figuresOf(playbook: Playbook, [now = [], before]: readonly number[][]): Figure[] {
  const figure = withoutTarget(`sim: seeds of ${playbook} per second of one core`, 1e6 / median(now), '/s')
  if (before === undefined) return [figure]
  const ratio = median(before.map((micros, round) => micros / (now[round] as number)))
  return [figure, atLeast(`sim: processor time of a seed of ${playbook}, before / now`, ratio, 1, '×')]
}
