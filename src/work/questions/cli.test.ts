import { expect, it } from 'vitest'

import type { QuestionLine } from './cli/fact-lines.ts'
import { inSets } from './cli.ts'

const line = (id: string, attempt: string | null, answeredAt: string | null = null): QuestionLine =>
  ({ id, attempt_id: attempt, answered_at: answeredAt, asked_by: 'brief:main' }) as QuestionLine
const shown = (lines: QuestionLine[]) => inSets(lines).map(({ question, head }) => [question.id, head])

it('shows the questions of one report together, in the order in which they were asked', () => {
  const newestFirst = [line('qst_5', null), line('qst_4', 'att_1'), line('qst_3', 'att_2'), line('qst_2', 'att_1')]
  expect(shown(newestFirst)).toEqual([
    ['qst_5', null],
    ['qst_2', '2 questions of brief:main: it continues when these 2 are answered'],
    ['qst_4', null],
    ['qst_3', null],
  ])
})

it('says how many answers of a set are missing', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const head = (...answered: (string | null)[]) =>
    shown(answered.map((each, index) => line(`qst_${index}`, 'att_1', each)))[0]?.[1]
  expect(head(at, null, null)).toBe('3 questions of brief:main: it continues when these 2 are answered')
  expect(head(at, at, null)).toBe('3 questions of brief:main: it continues when the last one is answered')
  expect(head(at, at, at)).toBe('3 questions of brief:main')
})
