// @suite process

import { describe, expect, it } from 'vitest'

import { bugs } from './bugs/all.ts'
import { tryBug } from './bugs/try.ts'
import { regressions } from './regressions.ts'
import { simulate } from './simulate.ts'

/** The simulation always uses SQLite in memory, so the suite on PostgreSQL omits it. */
const isOnPostgres = process.env['AGENCY_TEST_STORE'] === 'postgres'

describe.skipIf(isOnPostgres)('a simulated world', () => {
  it('keeps every invariant under faults', async () => {
    const failed: string[] = []
    let faults = 0
    for (let seed = 1; seed <= 60; seed++) {
      const outcome = await simulate(seed)
      for (const count of outcome.faults.values()) faults += count
      if (outcome.failure === null) continue
      failed.push(`"${outcome.failure.invariant}": npm run sim -- --seeds 1 --start ${seed}`)
    }
    expect(failed).toEqual([])
    expect(faults).toBeGreaterThan(1_000)
  }, 600_000)

  it('keeps every invariant with teams of five tiers', async () => {
    const failed: string[] = []
    for (let seed = 1; seed <= 40; seed++) {
      const { failure } = await simulate(seed, 'tiered')
      if (failure !== null)
        failed.push(`"${failure.invariant}": npm run sim -- --seeds 1 --start ${seed} --playbook tiered`)
    }
    expect(failed).toEqual([])
  }, 600_000)

  it.each(['direct', 'tiered'] as const)(
    'keeps every invariant with repositories in %s runs',
    async (playbook) => {
      const failed: string[] = []
      let merges = 0
      for (let seed = 1; seed <= (playbook === 'direct' ? 30 : 8); seed++) {
        const { failure, log } = await simulate(seed, playbook, { withGit: 'memory', withLog: true })
        merges += log.filter((line) => / (branch_merged|merged) /.test(line)).length
        if (failure === null) continue
        const other = playbook === 'direct' ? '' : ` --playbook ${playbook}`
        failed.push(`"${failure.invariant}": npm run sim -- --seeds 1 --start ${seed}${other} --repositories`)
      }
      expect(failed).toEqual([])
      expect(merges).toBeGreaterThan(20)
    },
    600_000,
  )

  it.each([2, 3])(
    'keeps every invariant with %i processes on one store',
    async (workers) => {
      const failed: string[] = []
      for (let seed = 1; seed <= 30; seed++) {
        const { failure } = await simulate(seed, 'direct', { workers })
        if (failure !== null)
          failed.push(`"${failure.invariant}": npm run sim -- --seeds 1 --start ${seed} --workers ${workers}`)
      }
      expect(failed).toEqual([])
    },
    600_000,
  )

  it('keeps every invariant where a lead answers questions', async () => {
    const failed: string[] = []
    let asked = 0
    for (let seed = 1; seed <= 60; seed++) {
      const { failure, log } = await simulate(seed, 'direct', { withLead: true, withLog: true })
      asked += log.filter((line) => / question_routed /.test(line)).length
      if (failure !== null) failed.push(`"${failure.invariant}": npm run sim -- --seeds 1 --start ${seed} --lead`)
    }
    expect(failed).toEqual([])
    expect(asked).toBeGreaterThan(20)
  }, 600_000)

  it.each(regressions)(
    'of $playbook with $workers process(es) that was wrong once is right',
    async ({ seeds: known, playbook, ...options }) => {
      const failed: string[] = []
      for (const seed of known) {
        const { failure } = await simulate(seed, playbook, options)
        if (failure !== null) failed.push(`${seed}: ${failure.invariant}`)
      }
      expect(failed).toEqual([])
    },
    600_000,
  )

  it('repeats the same events for the same seed and differs for another', async () => {
    const play = (seed: number): ReturnType<typeof simulate> => simulate(seed, 'direct', { withLog: true })
    const first = await play(4711)
    expect((await play(4711)).log).toEqual(first.log)
    expect((await play(4711)).hash).toBe(first.hash)
    expect((await play(4712)).hash).not.toBe(first.hash)
  })
})

/** Enough for the bugs that one of the first seeds finds; `npm run sim -- --bugs --seeds 2000` tries all. */
const seeds = 400

describe.skipIf(isOnPostgres)('an injected bug is found', () => {
  for (const [name, { description, isRare }] of Object.entries(bugs))
    it.skipIf(isRare === true)(description, { timeout: 300_000 }, async () => {
      expect(await tryBug(name, seeds)).toMatchObject({ found: true })
    })
})
