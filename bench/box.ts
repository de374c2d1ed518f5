import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { bundleInto } from '../scripts/bundle.ts'
import type { Claims } from './box/claim.ts'
import { measureFlow } from './box/flow.ts'
import { atLeast, atMost, type Benchmark, median, withoutTarget, skipped } from './figures.ts'

const names = {
  claim: 'claim to first byte of a boxed program / bwrap true + git clone --shared',
  proxy: 'bytes by the egress proxy / direct over loopback',
  whole: 'bytes out of a box, whole way / direct over loopback',
}

/** Cost of a box: time until the agent's first byte, and throughput of the bytes that it fetches. */
export const box: Benchmark = {
  name: 'box',
  run: async ({ quick, log }) => {
    const folder = buildFolder()
    try {
      await bundleInto(join(folder, 'dist'), { 'bench-claim': 'bench/box/claim.ts' })
      const claims = await measureClaims(join(folder, 'dist'), quick ? 5 : 20)
      if (claims.whyNot !== null)
        return [skipped(names.claim, '×', '≤ 3', claims.whyNot), skipped(names.proxy, '×', '≥ 0.5', claims.whyNot)]
      const [ours, bare] = [median(claims.ours), median(claims.bare)]
      log(`claim to first byte ${ours.toFixed(0)} ms; bwrap and clone alone ${bare.toFixed(0)} ms`)
      const flow = await measureFlow(quick ? 3 : 9)
      const [direct, proxied, boxed] = [flow.direct, flow.proxied, flow.boxed].map(shown)
      log(`direct ${direct} MB/s, by the proxy ${proxied} MB/s, out of a box ${boxed} MB/s`)
      return [
        atMost(names.claim, ours / bare, 3, '×', `${ours.toFixed(0)} ms beside ${bare.toFixed(0)} ms`),
        atLeast(names.proxy, ratio(flow.proxied, flow.direct), 0.5, '×', `${proxied} beside ${direct} MB/s`),
        withoutTarget(names.whole, ratio(flow.boxed, flow.direct), '×', `${boxed} beside ${direct} MB/s`),
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Creates a folder for bundles, as in an installation: from the source, Node would strip all types at every start. */
function buildFolder(): string {
  mkdirSync('node_modules/.cache', { recursive: true })
  const folder = resolve(mkdtempSync('node_modules/.cache/agency-bench-'))
  cpSync('package.json', join(folder, 'package.json'))
  mkdirSync(join(folder, 'dist'))
  return folder
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
