import { expect, it } from 'vitest'

import type { Terminal } from '../../cli/terminal.ts'
import { budgetLines } from './cli.ts'

const terminal: Terminal = { out: () => {}, err: () => {}, isTty: true, columns: 80, colour: false }

it('the table of budgets has one column for each meaning', () => {
  const budget = {
    scope: 'organisation',
    scope_id: '1',
    token_limit: null,
    tokens_spent: 1_200,
    tokens_reserved: 300,
    cost_limit_micros: 20_000_000,
    micros_spent: 1_500_000,
    micros_reserved: 500_000,
  } as Parameters<typeof budgetLines>[1][number]
  expect(budgetLines(terminal, [budget])).toEqual([
    'OF            ID  KIND    SPENT  SET ASIDE   LIMIT    LEFT',
    'organisation  1   money   $1.50      $0.50  $20.00  $18.00',
    'organisation  1   tokens  1,200        300    none       -',
  ])
})
