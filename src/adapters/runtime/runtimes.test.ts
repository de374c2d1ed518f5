// @suite process

import { describe } from 'vitest'

import { boxHere, createTestBox } from '../../../test/support/box.ts'
import { type Behaviour, reportOfSuite, runtimeContract } from './contract-suite.ts'
import { createProgramRuntime } from './program/runtime.ts'
import type { StepInput } from './scripted/contract.ts'
import { createScriptedRuntime } from './scripted/runtime.ts'

const scenarios: Record<Behaviour, StepInput[]> = {
  'say one and two': [{ say: 'one' }, { say: 'two' }],
  'exit with 3': [{ exit: { code: 3 } }, { say: 'never' }],
  'die of SIGKILL': [{ crash: { signal: 'SIGKILL' } }],
  hang: [{ hang: {} }],
  'say ready, then hang and ignore signals': [{ ignore_signals: {} }, { say: 'ready' }, { hang: {} }],
  'flood 100 MB of lines': [{ flood: { megabytes: 100 } }],
  'flood 100 MB without a newline': [{ flood: { megabytes: 100, one_line: true } }],
  'print garbage': [{ garbage: { lines: 100 } }],
  'report by file': [{ report: { ...reportOfSuite, via: 'file' } }],
  'report by standard output': [{ report: { ...reportOfSuite, via: 'stdout' } }],
  'write invalid JSON into the outbox': [
    { write: { path: '.agency/outbox/report.json', text: '{"status": nonsense' } },
  ],
  'print its environment': [{ run: 'env' }],
  'leave a child behind and print its pid': [{ spawn_child: {} }],
  'leave a child behind that left the group and print its pid': [{ spawn_child: { escape: true } }],
}

const report = JSON.stringify(reportOfSuite)
const garbage = String.raw`printf '\033[31mred\033[0m\n{"type":\n\377\376\303(\n\000nul\n\n   \nnull\n[1,\n\007bell\n{"status":1}\n'`

const scripts: Record<Behaviour, string> = {
  'say one and two': 'echo one; echo two',
  'exit with 3': 'exit 3',
  'die of SIGKILL': 'kill -9 $$',
  hang: 'exec sleep 3600',
  'say ready, then hang and ignore signals': `trap '' TERM; echo ready; sleep 3600`,
  'flood 100 MB of lines': 'yes | head -c 104857600',
  'flood 100 MB without a newline': 'head -c 104857600 /dev/zero | tr "\\0" x',
  'print garbage': garbage,
  'report by file': `echo '${report}' > .agency/outbox/report.json`,
  'report by standard output': `echo working; echo '${report}'`,
  'write invalid JSON into the outbox': `printf '{"status": nonsense' > .agency/outbox/report.json`,
  'print its environment': 'env',
  'leave a child behind and print its pid': 'sleep 3600 & echo $!',
  'leave a child behind that left the group and print its pid': 'setsid sleep 3600 & echo $!',
}

const graceMs = 300

runtimeContract('scripted (process)', () => ({
  runtime: createScriptedRuntime({ host: 'process', graceMs }),
  options: mapBehaviours(scenarios, (steps) => ({ scenario: { steps } })),
  hasProcess: true,
}))

runtimeContract('scripted (in-process)', () => ({
  runtime: createScriptedRuntime({ host: 'in-process' }),
  options: mapBehaviours(scenarios, (steps) => ({ scenario: { steps } })),
  hasProcess: false,
}))

runtimeContract('program', () => ({
  runtime: createProgramRuntime({ graceMs }),
  options: mapBehaviours(scripts, (script) => ({ command: ['/bin/sh', '-c', script] })),
  hasProcess: true,
}))

describe.skipIf(!boxHere.ok)(`in a box${boxHere.ok ? '' : ` (${boxHere.reason})`}`, () => {
  runtimeContract('program', () => ({
    runtime: createProgramRuntime({ graceMs }),
    options: mapBehaviours(scripts, (script) => ({ command: ['/bin/sh', '-c', script] })),
    hasProcess: true,
    makeBox: createTestBox,
  }))
})

function mapBehaviours<Value>(
  of: Record<Behaviour, Value>,
  map: (value: Value) => Record<string, unknown>,
): Record<Behaviour, Record<string, unknown>> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)])) as Record<
    Behaviour,
    Record<string, unknown>
  >
}
