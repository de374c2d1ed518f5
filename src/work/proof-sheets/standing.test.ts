import { describe, expect, it } from 'vitest'

import type { Proof } from '../proofs/contract.ts'
import type { Repeat } from '../repeats/contract.ts'
import { type Standing, stateStanding } from './standing.ts'
import type { CheckTally, ClaimLine } from './store.ts'

const head = 'a'.repeat(40)
const base = 'b'.repeat(40)

const line = (more: Partial<ClaimLine> = {}): ClaimLine => ({
  briefId: 'brf_1',
  key: 'main',
  status: 'done',
  checkable: true,
  attemptId: 'att_1',
  fence: 1,
  checkedIn: 'checkout',
  boxed: true,
  odd: [],
  contradiction: null,
  ...more,
})

const tally = (more: Partial<CheckTally> = {}): CheckTally => ({
  attemptId: 'att_1',
  round: 'delivered',
  kind: 'command',
  passed: true,
  boxed: true,
  count: 1,
  ...more,
})

const proof = (more: Partial<Proof> = {}): Proof => ({
  id: 'prf_1',
  runId: 'run_1',
  head,
  cause: 'merge',
  status: 'passed',
  gate: null,
  findings: [
    {
      evidence: { kind: 'command', run: 'npm test', expectExit: 0, timeoutSeconds: 120 },
      briefs: ['main'],
      passed: true,
      detail: 'exit code 0',
      output: '',
      boxed: true,
    },
  ],
  checkedIn: 'checkout',
  detail: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:00.000Z',
  ...more,
})

const repeat = (more: Partial<Repeat>): Repeat => ({
  ...proof(),
  subject: 'merged',
  commitId: head,
  branchCommit: head,
  inBranch: true,
  requestedBy: 'operator',
  ...(more as object),
})

const repository = { path: '/shop', mirror: '/mirror', branch: 'main', base, warnings: [] }

/** The rows of a run of one brief, merged and proven. */
const proven: Standing = {
  run: { id: 'run_1', simulated: false, status: 'done', repository, head },
  merged: head,
  lines: [line()],
  tallies: [tally()],
  verdicts: [],
  unsettled: [],
  cancelled: [],
  proofs: [proof()],
  repeat: undefined,
}

const gapsOf = (more: Partial<Standing>): string[] => stateStanding({ ...proven, ...more }).gaps.map(({ text }) => text)
const basisOf = (more: Partial<Standing>) => stateStanding({ ...proven, ...more }).basisOf('brf_1')

describe('the standing of a run', () => {
  it('has no gap if all evidence holds on the merged commit, in a box', () => {
    const { statement, isProven, gaps, boxed } = stateStanding(proven)
    expect(statement).toBe('Proven: evidence 1/1 holds on the merged result aaaaaaaaaaaa (fresh checkout).')
    expect([isProven, gaps, boxed]).toEqual([true, [], true])
  })

  it.each<[string, Partial<Standing>]>([
    ['the run is simulated: no agent did this work', { run: { ...proven.run, simulated: true } }],
    ['the merged result aaaaaaaaaaaa was not checked as a whole', { proofs: [] }],
    ['the merged result aaaaaaaaaaaa was not checked as a whole', { proofs: [proof({ findings: [] })] }],
    ['the merged result aaaaaaaaaaaa was not checked as a whole', { proofs: [proof({ head: base })] }],
    ['the merged result aaaaaaaaaaaa was not checked as a whole', { proofs: [proof({ status: 'cancelled' })] }],
    ['the merged result aaaaaaaaaaaa is being checked', { proofs: [proof({ status: 'waiting', findings: [] })] }],
    ['evidence 0/1 holds', { proofs: [proof({ status: 'failed', detail: 'evidence 0/1 holds' })] }],
    [
      'the merged result aaaaaaaaaaaa could not be checked: no space',
      { proofs: [proof(), proof({ status: 'unchecked', detail: 'no space' })] },
    ],
    ['nothing was merged', { run: { ...proven.run, head: base }, merged: null, proofs: [] }],
    ['it did not hold when it was checked again on 2026-01-01', { repeat: repeat({ status: 'failed' }) }],
    ['1 brief not finished', { lines: [line({ status: 'working' })] }],
    ['1 brief cancelled', { cancelled: ['other'] }],
    [
      '1 brief not judged, and checked only by evidence that is not the operator’s',
      { lines: [line({ checkable: false })] },
    ],
    ['1 brief neither checked nor judged', { tallies: [] }],
    ['1 brief not judged, and only a part of the evidence held', { tallies: [tally(), tally({ passed: false })] }],
    [
      '1 brief judged by a verifier, and only a part of the evidence held',
      {
        tallies: [tally(), tally({ passed: false })],
        verdicts: [{ briefId: 'brf_1', attempt: 1, verdict: 'pass' }],
      },
    ],
    [
      '1 brief judged by a verifier, without evidence of the operator',
      { lines: [line({ checkable: false })], verdicts: [{ briefId: 'brf_1', attempt: 1, verdict: 'pass' }] },
    ],
    [
      'evidence of 1 brief failed when it was checked a second time',
      { tallies: [tally(), tally({ round: 'again', passed: false })] },
    ],
    [
      'evidence of 1 brief holds only with the agent’s own tests or scripts',
      { tallies: [tally(), tally({ round: 'base_witnesses', passed: false })] },
    ],
    ['evidence of 1 brief held before the work began', { tallies: [tally(), tally({ round: 'before' })] }],
    [
      'evidence of 1 brief held before the work began',
      {
        lines: [line({ checkable: false })],
        tallies: [tally(), tally({ round: 'before' })],
        verdicts: [{ briefId: 'brf_1', attempt: 1, verdict: 'pass' }],
      },
    ],
    [
      '1 brief with odd changes, which may weaken a proof',
      { lines: [line({ odd: [{ kind: 'tests', path: 'a', text: 'a was changed' }] })] },
    ],
    ['1 brief with reports that contradict each other', { lines: [line({ contradiction: 'two verdicts' })] }],
    ['1 brief checked where more than the commit was at hand', { lines: [line({ checkedIn: 'workspace' })] }],
    ['commands of 1 brief ran outside any box', { tallies: [tally({ boxed: false })] }],
    ['1 brief with notes that are not settled', { unsettled: ['main'] }],
  ])('has the gap "%s"', (text, more) => {
    expect(gapsOf(more)).toEqual([text])
    expect(stateStanding({ ...proven, ...more }).isProven).toBe(false)
  })

  it('names work that was not judged apart from its evidence, which held before', () => {
    const lines = [line({ checkable: false })]
    const held = [tally(), tally({ round: 'before' })]
    expect(gapsOf({ lines, tallies: held })).toEqual([
      '1 brief not judged',
      'evidence of 1 brief held before the work began',
    ])
    // Its other items show the work.
    expect(gapsOf({ tallies: [...held, tally({ round: 'before', passed: false })] })).toEqual([])
  })

  it('has a gap of its own for files that no check has looked into', () => {
    const odd = [{ kind: 'submodule' as const, path: 'a', text: 'a: the submodule points to another commit' }]
    expect(gapsOf({ lines: [line({ odd })] })).toEqual([
      '1 brief with odd changes, which may weaken a proof',
      '1 brief with changed submodules, whose files were not checked',
    ])
  })

  it('has a gap of its own for evidence that does not hold alone', () => {
    const odd = [{ kind: 'prepared' as const, path: null, text: '`npm test`: exit code 0, but only after $ node a' }]
    expect(gapsOf({ lines: [line({ odd })] })).toContain(
      'evidence of 1 brief holds only in a place that other code of the work prepares',
    )
  })

  it('has a gap of its own for changed files that no verifier has opened', () => {
    const odd = [{ kind: 'unopened' as const, path: null, text: 'the verifier opened 1 of 3 changed files; not: a' }]
    expect(gapsOf({ lines: [line({ odd })] })).toContain('1 brief with changed files that no verifier has opened')
  })

  it('is not worse for rounds that support it, for a repeat that held, or for one of another commit', () => {
    const tallies = [
      tally(),
      tally({ round: 'again' }),
      tally({ round: 'base_witnesses' }),
      // A check that could not run at the start ran in no box.
      tally({ round: 'before', passed: false, boxed: false }),
    ]
    expect(gapsOf({ tallies })).toEqual([])
    expect(gapsOf({ repeat: repeat({ status: 'passed' }) })).toEqual([])
    expect(gapsOf({ repeat: repeat({ status: 'failed', commitId: base }) })).toEqual([])
  })

  it('counts a verdict only for the attempt that counts', () => {
    const judged = { lines: [line({ fence: 2 })], tallies: [], verdicts: [] }
    const verdict = (attempt: number, said: 'pass' | 'fail') => [{ briefId: 'brf_1', attempt, verdict: said }]
    expect(basisOf({ ...judged, verdicts: verdict(1, 'pass') })).toBe('neither')
    expect(basisOf({ ...judged, verdicts: verdict(2, 'fail') })).toBe('neither')
    expect(basisOf({ ...judged, verdicts: verdict(2, 'pass') })).toBe('judged')
    expect(basisOf({ lines: [line({ fence: 2 })], verdicts: verdict(2, 'pass') })).toBe('both')
  })

  it('does not call a claim checked if one of its checks failed', () => {
    expect(basisOf({ tallies: [tally(), tally({ passed: false })] })).toBe('neither')
  })

  it('counts the evidence of single briefs where there is no merged result', () => {
    const run = { ...proven.run, repository: null, head: null }
    const { statement } = stateStanding({ ...proven, run, merged: null, proofs: [], tallies: [tally({ count: 3 })] })
    expect(statement).toBe('Proven: 3 items of evidence held for 1 of 1 claim, each brief by itself.')
  })
})
