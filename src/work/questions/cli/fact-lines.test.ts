import { expect, it } from 'vitest'

import { textWidth } from '../../../cli/text-width.ts'
import { wrap } from '../../../cli/wrap.ts'
import { factLines, type QuestionLine } from './fact-lines.ts'

const terminal = { columns: 80, colour: false, isTty: true, out: () => {}, err: () => {} }
const question = (facts: Partial<NonNullable<QuestionLine['facts']>> | null): QuestionLine =>
  ({
    id: 'qst_1',
    brief_id: 'brf_1',
    context: 'Write a haiku',
    facts:
      facts === null
        ? null
        : {
            goal: 'Slugs without accents',
            asked_by: 'main',
            background: '',
            attempt_id: 'att_1',
            claim: 'Fixed the slug function',
            items: 5,
            failed: [
              { what: '$ node test.mjs', detail: 'exit code 1, expected 0', output: 'expected a\n\n  actual b' },
            ],
            failed_total: 1,
            issues: [],
            attempts: {
              summary: '4 attempts, same failure',
              alike: 4,
              kinds: [{ attempts: [1, 2, 3, 4], failure: 'x' }],
            },
            has_diff: true,
            advice: null,
            budget: null,
            ...facts,
          },
  }) as unknown as QuestionLine

it('prints claim, failed command with the end of its output, attempts and the command for the diff', () => {
  expect(factLines(terminal, question({}))).toEqual([
    '  Goal      Slugs without accents',
    '  Claim     Fixed the slug function',
    '  Failed    $ node test.mjs: exit code 1, expected 0',
    '            │ expected a',
    '            │ ',
    '            │   actual b',
    '  Attempts  4 attempts, same failure',
    '  Diff      agency pr diff brf_1',
  ])
})

it('prints the context where there are no facts', () => {
  expect(factLines(terminal, question(null))).toEqual(['  Write a haiku'])
})

it('lists different failures, and names the command that shows further items', () => {
  const kinds = [
    { attempts: [1, 2], failure: 'exit code 1' },
    { attempts: [3], failure: 'exit code 2' },
  ]
  const lines = factLines(
    terminal,
    question({ failed_total: 3, attempts: { summary: '3 attempts, 2 different failures', alike: 1, kinds } }),
  )
  expect(lines).toContain('            and 2 more of 5 items: agency question show qst_1 --json')
  expect(lines.join('\n')).toContain(
    '  Attempts  3 attempts, 2 different failures\n            1, 2: exit code 1\n            3: exit code 2',
  )
})

it('stays within the terminal and makes control characters visible', () => {
  const long = 'word '.repeat(300)
  const lines = factLines(
    terminal,
    question({
      goal: long,
      claim: `\u001b[2J${long}`,
      failed: [
        { what: `$ ${long}`, detail: long, output: `\u001b]0;title\u0007${'x'.repeat(300)}\n${'界'.repeat(300)}` },
      ],
    }),
  )
  const printed = lines.flatMap((line) => wrap(line, terminal.columns).split('\n'))
  expect(printed.length).toBeLessThan(40)
  expect(printed.filter((line) => textWidth(line) > terminal.columns)).toEqual([])
  // oxlint-disable-next-line no-control-regex
  expect(printed.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
})
