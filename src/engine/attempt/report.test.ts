import { describe, expect, it } from 'vitest'

import { classifyEnd } from './classify-end.ts'
import { type BroughtReport, countReports, type Reports } from './report.ts'

const done = (summary: string): object => ({ status: 'done', summary })
const judged = (verdict: string): object => ({ status: 'done', summary: 'Looked.', verdict: { verdict } })
const brought = (from: BroughtReport['from'], report: unknown): BroughtReport => ({ from, report })
const nothing = { sent: null, contradiction: null, brought: [] }

describe('the reports of work', () => {
  const of = (fields: object) => countReports({ kind: 'work', ...nothing, ...fields }).reports

  it.each([
    ['a file', [brought('file', 1)], [1]],
    ['a line and a later file', [brought('printed', 1), brought('file', 2)], [1, 2]],
    ['two results', [brought('result', 1), brought('result', 2)], [2, 1]],
    ['a file and the final message', [brought('file', 1), brought('result', 2)], [2, 1]],
    ['nothing', [], []],
  ])('count from the newest on: %s', (_, reports, counted) => {
    expect(of({ brought: reports })).toEqual(counted)
  })

  it.each(['result', 'printed', 'file'] as const)('are only those of the token, if there is one, and no %s', (from) => {
    expect(of({ sent: done('mine'), brought: [brought(from, done('of another program'))] })).toEqual([done('mine')])
  })
})

describe('the reports of a verifier', () => {
  const of = (fields: object) => countReports({ kind: 'verify', ...nothing, ...fields })

  it.each(['printed', 'file'] as const)('do not count if they are %s, and it is told how to report', (from) => {
    const { reports, missing } = of({ brought: [brought(from, judged('pass'))] })
    expect(reports).toEqual([])
    expect(missing).toMatch(/^a verdict does not count as a printed line or as a file: .*agency report --verdict/)
    expect(of({}).missing).toMatch(/^ended without a verdict: .*agency report --verdict/)
  })

  it('count from the first on', () => {
    expect(of({ brought: [brought('result', judged('pass'))] }).reports).toEqual([judged('pass')])
    expect(of({ sent: judged('fail'), brought: [brought('printed', judged('pass'))] })).toMatchObject({
      reports: [judged('fail')],
      contradiction: null,
    })
  })

  it.each([
    [judged('pass'), judged('fail'), 'it reported "pass" first and "fail" later'],
    [judged('fail'), judged('pass'), 'it reported "fail" first and "pass" later'],
    [{ status: 'blocked', summary: 'x' }, judged('pass'), 'it reported "blocked" first and "pass" later'],
    [judged('pass'), judged('pass'), null],
    [judged('pass'), done('I have reported.'), null],
    [judged('pass'), 'nonsense', null],
  ])('of which %j comes first contradict each other, case %#', (first, second, why) => {
    expect(of({ sent: first, brought: [brought('result', second)] }).contradiction).toBe(why)
    expect(of({ brought: [brought('result', first), brought('result', second)] }).contradiction).toBe(why)
  })
})

it.each<[Reports['kind'], true | undefined, string]>([
  ['verify', true, 'bad_output'],
  ['verify', undefined, 'ok'],
  ['work', true, 'ok'],
])(
  'classifies a report that came with the token of an agent: %s, made by another program: %s',
  (kind, madeNoReport, outcome) => {
    const sent = { status: 'done', summary: 'Fine.', outputs: [], verdict: { verdict: 'pass', checked: ['it'] } }
    const ended = { kind: 'ended' as const, exitCode: 0, signal: null, ...(madeNoReport && { madeNoReport }) }
    const classified = classifyEnd({ ended, stopped: null }, { kind, sent, contradiction: null, brought: [] })
    expect(classified.outcome).toBe(outcome)
    expect(classified.report === null).toBe(outcome === 'bad_output')
  },
)
