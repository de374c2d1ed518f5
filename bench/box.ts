import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Claims } from './box/claim.ts'
import { measureFlow } from './box/flow.ts'
import { atLeast, atMost, type Benchmark, type Figure, median, withoutTarget, skipped } from './figures.ts'

const names = {
  claim: 'claim to first byte of a boxed program / bwrap true + git clone --shared',
  proxy: 'bytes by the egress proxy / direct over loopback',
  whole: 'bytes out of a box, whole way / direct over loopback',
  against: 'claim to first byte of a boxed program / that of another checkout',
}

/**
 * Cost of a box: time until the agent's first byte, and throughput of the bytes that it fetches. `--against <checkout>`
 * compares the time with that of another commit.
 */
export const box: Benchmark = {
  name: 'box',
  run: async ({ quick, against, log }) => {
    const here = fileURLToPath(new URL('..', import.meta.url))
    const checkouts = against === undefined ? [here] : [here, resolve(against)]
    const folders = checkouts.map(buildFolder)
    try {
      const sides = await claimsInTurns(folders, quick ? 1 : 5, quick ? 5 : 8)
      const [claims, before] = sides as [Claims, Claims | undefined]
      if (claims.whyNot !== null)
        return [skipped(names.claim, '×', '≤ 3', claims.whyNot), skipped(names.proxy, '×', '≥ 0.5', claims.whyNot)]
      const [ours, bare] = [median(claims.ours), median(claims.bare)]
      log(`claim to first byte ${ours.toFixed(0)} ms; bwrap and clone alone ${bare.toFixed(0)} ms`)
      const flow = await measureFlow(quick ? 3 : 9)
      const [direct, proxied, boxed] = [flow.direct, flow.proxied, flow.boxed].map(shown)
      log(`direct ${direct} MB/s, by the proxy ${proxied} MB/s, out of a box ${boxed} MB/s`)
      return [
        atMost(names.claim, ours / bare, 3, '×', `${ours.toFixed(0)} ms beside ${bare.toFixed(0)} ms`),
        startAgainst(ours, before),
        atLeast(names.proxy, ratio(flow.proxied, flow.direct), 0.5, '×', `${proxied} beside ${direct} MB/s`),
        withoutTarget(names.whole, ratio(flow.boxed, flow.direct), '×', `${boxed} beside ${direct} MB/s`),
      ]
    } finally {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    }
  },
}

function startAgainst(ours: number, before: Claims | undefined): Figure {
  if (before === undefined) return skipped(names.against, '×', '≤ 1.2', 'pass --against <checkout>')
  if (before.whyNot !== null) return skipped(names.against, '×', '≤ 1.2', before.whyNot)
  const theirs = median(before.ours)
  return atMost(names.against, ours / theirs, 1.2, '×', `${ours.toFixed(0)} ms, before: ${theirs.toFixed(0)} ms`)
}

/** Bundles a checkout's daemon, as in an installation: from the source, Node would strip all types at every start. */
function buildFolder(checkout: string): string {
  const cache = join(checkout, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'agency-bench-'))
  cpSync(join(checkout, 'package.json'), join(folder, 'package.json'))
  mkdirSync(join(folder, 'dist'))
  const build = `import { bundleInto } from './scripts/bundle.ts'
    await bundleInto(${JSON.stringify(join(folder, 'dist'))}, { 'bench-claim': 'bench/box/claim.ts' })`
  execFileSync(process.execPath, ['--input-type=module', '--eval', build], { cwd: checkout, stdio: 'ignore' })
  return folder
}

/** Measures each side in turns, with a daemon of its own in each round, because the machine's load changes. */
async function claimsInTurns(folders: readonly string[], rounds: number, times: number): Promise<Claims[]> {
  const sides = folders.map((): Claims => ({ whyNot: null, ours: [], bare: [] }))
  for (let round = 0; round < rounds; round++)
    for (const [index, folder] of folders.entries()) {
      const measured = await measureClaims(join(folder, 'dist'), times)
      const { ours, bare } = sides[index] as Claims
      sides[index] = {
        whyNot: measured.whyNot,
        ours: [...ours, ...measured.ours],
        bare: [...bare, ...measured.bare],
      }
    }
  return sides
}

async function measureClaims(dist: string, times: number): Promise<Claims> {
  const child = spawn(process.execPath, [join(dist, 'bench-claim.mjs'), String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let text = ''
  for await (const chunk of child.stdout) text += String(chunk)
  await ended
  return JSON.parse(text) as Claims
}

/** Returns the median of ratios between neighbours in time, because other load on the machine affects both equally. */
const ratio = (values: readonly number[], beside: readonly number[]): number =>
  median(values.map((value, index) => value / (beside[index] ?? Number.NaN)))

const shown = (values: readonly number[]): string => median(values).toFixed(0)
