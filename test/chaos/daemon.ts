import { parseArgs } from 'node:util'

import { startDaemon } from '../../src/daemon/start.ts'
import { operatorPersona } from '../../src/kernel/ids.ts'
import type { ChaosPointName } from '../../src/kernel/chaos-point.ts'

/**
 * The daemon of the chaos tests: the product's, with a listener that kills it at the n-th passing of a chaos point,
 * `--kill brief.claimed:2`. The product itself has no such option.
 */
const { values: flags } = parseArgs({
  options: { kill: { type: 'string' }, demo: { type: 'boolean', default: false } },
})
const [point, nth = '1'] = flags.kill?.split(':') ?? []

const daemon = await startDaemon({ env: process.env, flags: { port: '0' }, chaosPoint: dieAt(point, Number(nth)) })
process.on('SIGTERM', () => void daemon.stop())
if (flags.demo) await daemon.demos.first({ kind: 'operator', personaId: operatorPersona })
console.log('ready')
await daemon.stopped
process.exit(0)

function dieAt(wanted: string | undefined, left: number): (passed: ChaosPointName) => void {
  return (passed) => {
    if (passed !== wanted || --left > 0) return
    process.kill(process.pid, 'SIGKILL')
  }
}
