import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'

import type { Report } from '../attempts/contract.ts'
import type { Evidence } from '../evidence/contract.ts'
import { Judgement } from './contract.ts'
import { faultOfChecked, faultOfJudgement, type JudgedFile } from './judgement.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const poem = 'River finds the sea,\n  carrying the hills in sand,\nok\nnever once the same.\n'
const files: Readonly<Record<string, string>> = {
  'poem.txt': poem,
  'run.sh': '#!/usr/bin/env bash\nexit 0\n',
  'short.txt': 'a\nlonger\n',
  'empty.txt': '',
}
const fileOf = (path: string): JudgedFile | null => {
  const text = files[path]
  return text === undefined ? null : { text, sha256: sha256(text), bytes: text.length }
}
const evidenceOf = (...paths: readonly string[]): Evidence[] =>
  paths.map((path) => ({ kind: 'file', path, minBytes: 0, sha256: sha256(files[path] ?? '') }))
const reportOf = (verdict: object): Report => ({
  status: 'done',
  summary: 'Looked.',
  outputs: [],
  verdict: Judgement.parse(verdict),
})

/** Returns the first fault, as the engine finds it. */
async function faultOf(verdict: object, ...outputs: string[]): Promise<string | null> {
  const report = reportOf(verdict)
  const evidence = evidenceOf(...outputs)
  return (
    faultOfJudgement(report, evidence) ??
    faultOfChecked(report.verdict as Judgement, evidence, async (path) => fileOf(path))
  )
}

describe('a pass', () => {
  const pass = (...checked: unknown[]) => ({ verdict: 'pass', checked })

  it.each([
    ['a hash', 'poem.txt', { path: 'poem.txt', sha256: sha256(poem) }],
    ['a hash in capitals', 'poem.txt', { path: 'poem.txt', sha256: sha256(poem).toUpperCase() }],
    ['a line', 'poem.txt', { path: './poem.txt', quote: 'carrying the hills in sand,' }],
    ['a line with another number', 'poem.txt', { path: 'poem.txt', line: 7, quote: 'River finds the sea,' }],
    ['the longest of short lines', 'short.txt', { path: 'short.txt', quote: 'longer' }],
    ['all of a short file', 'short.txt', { path: 'short.txt', quote: 'a\nlonger' }],
    ['nothing of an empty file', 'empty.txt', { path: 'empty.txt', quote: '' }],
  ])('covers an output by %s', async (_, output, item) => {
    expect(await faultOf(pass(item), output)).toBeNull()
  })

  it.each([
    ['it only names', 'poem.txt', 'poem.txt was NOT looked at', /"poem\.txt" \(no hash, no quote\)/],
    ['without a proof', 'poem.txt', { path: 'poem.txt', what: 'fine' }, /no hash, no quote/],
    ['with another hash', 'poem.txt', { path: 'poem.txt', sha256: sha256('x') }, /it has another hash/],
    ['with an invented line', 'poem.txt', { path: 'poem.txt', quote: 'Ocean finds the sea,' }, /not a whole line/],
    ['with half a line', 'poem.txt', { path: 'poem.txt', quote: 'River finds the' }, /not a whole line/],
    ['with a line that could be guessed', 'poem.txt', { path: 'poem.txt', quote: 'ok' }, /fewer than 12 characters/],
    ['with an interpreter', 'run.sh', { path: 'run.sh', quote: '#!/usr/bin/env bash' }, /could be guessed/],
    ['with an empty quote', 'poem.txt', { path: 'poem.txt', quote: '' }, /it is not empty/],
    ['with a line of another file', 'short.txt', { path: 'poem.txt', sha256: sha256(poem) }, /"short\.txt"/],
  ])('does not cover an output %s, and says how to do it', async (_, output, item, fault) => {
    const found = await faultOf(pass(item), output)
    expect(found).toMatch(fault)
    expect(found).toMatch(/`checked` has \{"path": "<output>", "quote": /)
  })

  it('names no file that the work does not have', async () => {
    const items = [{ path: 'poem.txt', sha256: sha256(poem) }, { path: 'tests/all.test.ts' }]
    expect(await faultOf(pass(...items), 'poem.txt')).toMatch(/does not have: "tests\/all\.test\.ts"/)
    expect(await faultOf({ verdict: 'fail', issues: ['x'], checked: [{ path: 'gone' }] }, 'poem.txt')).toMatch(/"gone"/)
  })

  it('has no issue and no missing evidence', async () => {
    const whole = pass({ path: 'poem.txt', sha256: sha256(poem) })
    expect(await faultOf({ ...whole, issues: ['it does not rhyme'] }, 'poem.txt')).toMatch(/^a pass has no issues/)
    expect(await faultOf({ ...whole, missingEvidence: ['a test'] }, 'poem.txt')).toMatch(/^a pass has no missing/)
    expect(await faultOf({ ...whole, notes: 'It could rhyme.' }, 'poem.txt')).toBeNull()
  })

  it('on many outputs covers at least 20 of them', () => {
    const names = Array.from({ length: 30 }, (_, index) => `f${index}`)
    const covered = (count: number) => reportOf(pass(...names.slice(0, count).map((path) => ({ path, quote: path }))))
    const evidence = evidenceOf(...names)
    expect(faultOfJudgement(covered(20), evidence)).toBeNull()
    expect(faultOfJudgement(covered(19), evidence)).toMatch(/at least 20 of the 30 outputs/)
    expect(faultOfJudgement(covered(19), evidenceOf(...names.slice(0, 20)))).toMatch(/every output/)
  })
})

it('accepts the texts of earlier versions as anything else that was checked', () => {
  expect(Judgement.parse({ verdict: 'pass', checked: ['the style', { what: 'the tone' }] }).checked).toEqual([
    'the style',
    { what: 'the tone' },
  ])
  expect(Judgement.safeParse({ verdict: 'pass', checked: [{ quote: 'x' }] }).success).toBe(false)
})
