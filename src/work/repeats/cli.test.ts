import { expect, it } from 'vitest'

import { createContext } from '../../cli/context.ts'
import { proveRun } from './cli.ts'
import type { RepeatView } from './contract.ts'
import { RepeatView as Shape } from './contract.ts'
import { toWire } from '../../operations/wire.ts'

const commit = 'a'.repeat(40)
const moved = 'b'.repeat(40)

const item = (run: string, passed: boolean, before: boolean | null): RepeatView['findings'][number] => ({
  evidence: { kind: 'command', run, expectExit: 0, timeoutSeconds: 120 },
  what: `$ ${run}`,
  briefs: ['main'],
  passed,
  before,
  detail: passed ? 'exit code 0' : 'exit code 1, expected 0',
  output: passed ? '' : 'line one\n\n\u001b[2Kline two\n',
  boxed: true,
  durationMs: 2_000,
})

const view = (more: Partial<RepeatView>): RepeatView => ({
  id: 'rpt_1',
  runId: 'run_1',
  subject: 'merged',
  commitId: commit,
  branchCommit: commit,
  inBranch: true,
  status: 'waiting',
  findings: [],
  checkedIn: null,
  detail: null,
  requestedBy: 'operator',
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
  branch: 'main',
  total: 2,
  notRepeated: [],
  ...more,
})

const ended = { endedAt: '2026-01-01T00:00:05.000Z', checkedIn: 'checkout' as const }

/** Plays the answers of a daemon one after the other; returns what the command prints and its exit code. */
async function prove(answers: RepeatView[], options: object = {}): Promise<{ lines: string[]; code: number }> {
  const lines: string[] = []
  const left = [...answers]
  const context = {
    ...createContext({ AGENCY_HOME: '/nonexistent' }),
    isTty: false,
    colour: false,
    nowMs: () => Date.parse('2026-01-01T00:00:10.000Z'),
    out: (line: string) => void lines.push(line),
    json: (value: unknown) => void lines.push(JSON.stringify(value)),
    api: () => ({ call: async () => toWire(Shape, left.length > 1 ? left.shift() : left[0]) }) as never,
  }
  return { code: await proveRun(context, 'run_1', options), lines }
}

it('prints each item once while it waits, and ends with 1 if one no longer holds', async () => {
  const first = item('npm test', true, true)
  const second = item('npm run lint', false, true)
  const { lines, code } = await prove([
    view({ findings: [first] }),
    // A daemon that was killed begins again.
    view({ findings: [] }),
    view({ findings: [first] }),
    view({ findings: [first, second], status: 'failed', detail: 'evidence 1/2 holds', ...ended }),
  ])
  expect(code).toBe(1)
  expect(lines).toEqual([
    'run_1  2 items of evidence on aaaaaaaaaaaa, the commit that was merged into main',
    '✓ still holds  $ npm test: exit code 0  (2 s)',
    '✗ no longer holds  $ npm run lint: exit code 1, expected 0  (2 s)',
    '    line one',
    '    �[2Kline two',
    '✗ evidence 1/2 holds  5 s ago',
  ])
})

it('ends with 0 if all evidence holds, and says that the branch has moved and what is not repeated', async () => {
  const { lines, code } = await prove([
    view({
      branchCommit: moved,
      status: 'passed',
      detail: 'evidence 1/1 holds',
      findings: [item('npm test', true, null)],
      notRepeated: [
        { evidence: { kind: 'artifact' }, what: 'every reported output exists', briefs: ['a'], reason: 'why' },
      ],
      ...ended,
    }),
  ])
  expect(code).toBe(0)
  expect(lines).toContain('⏸ main has moved since, to bbbbbbbbbbbb (agency prove run_1 --head)')
  expect(lines).toContain('✓ holds  $ npm test: exit code 0  (2 s)')
  expect(lines).toContain('  every reported output exists (a): why')
})

it('says that a branch no longer contains the commit', async () => {
  const { lines } = await prove([
    view({ branchCommit: moved, inBranch: false, status: 'passed', detail: 'x', ...ended }),
  ])
  expect(lines[1]).toBe('⏸ main no longer contains this commit; it is at bbbbbbbbbbbb now (agency prove run_1 --head)')
})

it.each(['unchecked', 'cancelled'] as const)('ends with 1 if it was %s, also as JSON', async (status) => {
  const answers = [view({ status, detail: 'the reason', ...ended })]
  expect((await prove(answers)).lines.at(-1)).toBe('✗ the reason  5 s ago')
  const { lines, code } = await prove(answers, { json: true })
  expect([code, lines.length]).toEqual([1, 1])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ status, detail: 'the reason' })
})
