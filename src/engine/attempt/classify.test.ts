import { expect, it } from 'vitest'

import type { AgentEnded } from '../../adapters/runtime/port.ts'
import { type Classified, classify, type Ending } from './classify.ts'

const ended = (exitCode: number | null, signal: string | null = null, detail?: string): AgentEnded => ({
  kind: 'ended',
  exitCode,
  signal,
  ...(detail === undefined ? {} : { detail }),
})
const report = { status: 'done', summary: 'Wrote it.', outputs: ['poem.txt'] }
const ending = (fields: Partial<Ending>): Ending => ({ ended: ended(0), stopped: null, report: undefined, ...fields })

const table: readonly [string, Partial<Ending>, Partial<Classified>][] = [
  ['done and ended', { report }, { outcome: 'ok', detail: 'Wrote it.', report: report as never }],
  ['a part done', { report: { ...report, status: 'partial' } }, { outcome: 'partial_output' }],
  [
    'stuck',
    { report: { ...report, status: 'blocked', summary: 'No key.' } },
    { outcome: 'blocked', detail: 'No key.' },
  ],
  [
    'done, but over our own files',
    {
      report,
      ended: {
        ...ended(0, null, 'workspace_violation: .agency/x changed and restored'),
        used: { memoryMb: 1, processes: 1, diskMb: 1, violations: ['.agency/x'] },
      },
    },
    { outcome: 'blocked', detail: 'workspace_violation: .agency/x changed and restored' },
  ],
  [
    'outputs left out',
    { report: { status: 'done', summary: 'x' } },
    { outcome: 'ok', report: { status: 'done', summary: 'x', outputs: [] } },
  ],
  ['exit 0, not a word', {}, { outcome: 'bad_output', detail: 'ended without a report', report: null }],
  ['a report that is null', { report: null }, { outcome: 'bad_output', report: null }],
  ['a report that is text', { report: 'done' }, { outcome: 'bad_output', report: null }],
  [
    'an unknown status',
    { report: { ...report, status: 'finished' } },
    { outcome: 'bad_output', detail: expect.stringMatching(/^the report is malformed: status: /) as never },
  ],
  ['no summary', { report: { status: 'done', outputs: [] } }, { outcome: 'bad_output' }],
  ['an empty summary', { report: { ...report, summary: '  \n ' } }, { outcome: 'bad_output' }],
  ['outputs that are no list', { report: { ...report, outputs: 'poem.txt' } }, { outcome: 'bad_output' }],
  ['an extra field', { report: { ...report, verified: true } }, { outcome: 'bad_output' }],
  ['an exit code', { ended: ended(3) }, { outcome: 'crash', detail: 'exit code 3' }],
  ['an exit code after a report', { ended: ended(1), report }, { outcome: 'crash', report: null }],
  [
    'an exit code that it explains',
    { ended: ended(1, null, 'no such file') },
    { outcome: 'crash', detail: 'exit code 1: no such file' },
  ],
  ['a signal', { ended: ended(null, 'SIGSEGV') }, { outcome: 'crash', detail: 'killed by SIGSEGV' }],
  ['a signal after a report', { ended: ended(null, 'SIGKILL'), report }, { outcome: 'crash', report: null }],
  [
    'never started',
    { ended: ended(null, null, 'could not be started: ENOENT') },
    { outcome: 'crash', detail: 'could not be started: ENOENT' },
  ],
  ['an end without a word', { ended: ended(null) }, { outcome: 'crash', detail: 'ended without an exit code' }],
  [
    'silence',
    { ended: ended(null, 'SIGTERM'), stopped: 'deadline_idle' },
    { outcome: 'timeout', detail: 'no output within the idle deadline' },
  ],
  [
    'too long',
    { ended: ended(null, 'SIGTERM'), stopped: 'deadline_hard' },
    { outcome: 'timeout', detail: 'the hard deadline has passed' },
  ],
  ['too long, though it reported', { stopped: 'deadline_hard', report }, { outcome: 'timeout', report: null }],
  [
    'our own stop',
    { ended: ended(null, 'SIGTERM'), stopped: 'daemon_stop' },
    { outcome: 'interrupted', detail: 'the daemon stopped' },
  ],
  [
    'a cancelled run',
    { ended: ended(null, 'SIGTERM'), stopped: 'cancelled' },
    { outcome: 'interrupted', detail: 'the run was cancelled' },
  ],
]

it.each(table)('classifies %s', (_, fields, expected) => {
  expect(classify(ending(fields))).toMatchObject(expected)
})

it('keeps the detail to one short line', () => {
  const long = `first\nsecond\t${'x'.repeat(2_000)}`
  for (const fields of [{ report: { ...report, summary: long } }, { ended: ended(1, null, long) }]) {
    const { detail } = classify(ending(fields))
    expect(detail).toContain('first second xxx')
    expect(detail.length).toBeLessThanOrEqual(500)
    expect(detail).not.toMatch(/[\n\t]/)
  }
})

it('redacts secrets in a report and in an agent’s last output', () => {
  const secret = `sk-${'a1'.repeat(20)}`
  const reported = classify(ending({ report: { ...report, summary: `Used ${secret}` } }))
  expect(reported).toMatchObject({ detail: 'Used [redacted]', report: { summary: 'Used [redacted]' } })
  expect(classify(ending({ ended: ended(1, null, `bad key ${secret}`) })).detail).toBe(
    'exit code 1: bad key [redacted]',
  )
  expect(classify(ending({ ended: ended(null, null, `bad key ${secret}`) })).detail).toBe('bad key [redacted]')
})
