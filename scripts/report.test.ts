import { expect, it } from 'vitest'

import { detailsOf, figuresOf, reportOf } from './report.ts'

const failed = 'AssertionError: expected 1 to be 2\n\n- 2\n+ 1\n    at src/a.test.ts:3:5\n    at node_modules/x.js:1:1'

it('lists failures with their errors, cases that passed on retry, and the number of skipped cases', () => {
  const report = reportOf(
    {
      testResults: [
        {
          name: 'src/a.test.ts',
          status: 'failed',
          assertionResults: [
            { fullName: ' adds', status: 'passed', failureMessages: [] },
            { fullName: 'waits', status: 'passed', failureMessages: [failed] },
            { fullName: 'counts', status: 'failed', failureMessages: ['Error: first try', failed] },
            { fullName: 'needs fish', status: 'skipped' },
            { fullName: 'needs zsh', status: 'pending' },
          ],
        },
        { name: 'src/b.test.ts', status: 'failed', message: 'SyntaxError: no such export', assertionResults: [] },
      ],
    },
    [{ text: 'Error: connection refused', file: `${process.cwd()}/src/c.test.ts` }, { text: 'Error: lost' }],
  )
  expect(figuresOf(report)).toBe('2 passed, 4 failed, 2 skipped')
  expect(detailsOf(report)).toEqual([
    'FAILED src/a.test.ts > counts',
    '  AssertionError: expected 1 to be 2',
    '  - 2',
    '  + 1',
    '  at src/a.test.ts:3:5',
    'FAILED src/b.test.ts',
    '  SyntaxError: no such export',
    'FAILED src/c.test.ts, outside its cases',
    '  Error: connection refused',
    'FAILED unknown file, outside its cases',
    '  Error: lost',
    'passed on retry: src/a.test.ts > waits',
    '  AssertionError: expected 1 to be 2',
    '  - 2',
    '  + 1',
    '  at src/a.test.ts:3:5',
    'skipped 2 in src/a.test.ts',
  ])
})

it('returns no details for a suite without failures, retries and skipped cases', () => {
  const report = reportOf({
    testResults: [
      { name: 'src/a.test.ts', status: 'passed', assertionResults: [{ fullName: 'adds', status: 'passed' }] },
    ],
  })
  expect([figuresOf(report), detailsOf(report)]).toEqual(['1 passed, 0 failed', []])
})
