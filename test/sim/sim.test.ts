import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

import { bugs } from './bugs/all.ts'
import { simulate } from './simulate.ts'

describe('a simulated world', () => {
  it('keeps every promise, whatever happens in it', async () => {
    const failed: string[] = []
    let faults = 0
    for (let seed = 1; seed <= 120; seed++) {
      const outcome = await simulate(seed)
      for (const count of outcome.faults.values()) faults += count
      if (outcome.failure === null) continue
      failed.push(`"${outcome.failure.invariant}": npm run sim -- --seeds 1 --start ${seed}`)
    }
    expect(failed).toEqual([])
    expect(faults).toBeGreaterThan(1_000)
  }, 180_000)

  it('is the same when it has the same seed, and another with another', async () => {
    const first = await simulate(4711)
    expect((await simulate(4711)).log).toEqual(first.log)
    expect((await simulate(4711)).hash).toBe(first.hash)
    expect((await simulate(4712)).hash).not.toBe(first.hash)
  })
})

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

/** How many seeds it may take: most are found by one of the first, and none is worth more in every test run. */
const seeds = 400

describe('a bug is found', () => {
  for (const name of Object.keys(bugs))
    it(name, { timeout: 180_000 }, async () => {
      const { code, output } = await run(['--bug', name, '--seeds', String(seeds)])
      expect(output).toMatch(/^seed \d+ breaks ".+": /)
      expect(code).toBe(1)
    })

  it('only where there is one', async () => {
    const { code, output } = await run(['--seeds', '3'])
    expect(output).toMatch(/^3 seeds, [\d.]+ per second, [\d.]+ faults per seed, /)
    expect(code).toBe(0)
  })
})

function run(options: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...options], (_, output) =>
      resolve({ code: child.exitCode, output }),
    )
  })
}
