import { describe, expect, it } from 'vitest'

import { isSimilar } from './similarity.ts'

describe('two questions', () => {
  it.each([
    ['Which database should the service use?', 'Which database should the service use?'],
    ['Which database should the orders service use?', 'What database must the orders service use, please?'],
    ['Should the invoices be stored in the archive folder?', 'May I store invoices in the archive folder: stored?'],
    ['Which time zone do the reports use?', 'Do reports use a time zone? Which?'],
    ['May I delete src/old/users.ts and its tests?', 'May I delete src/old/users.ts, with tests?'],
    ['Which database?', 'which  DATABASE'],
    ['Is the limit 10 MB for uploads of customers?', 'For uploads of customers: is 10 MB the limit?'],
    ['¿?', '¿?'],
  ])('are the same: "%s" and "%s"', (one, other) => {
    expect([isSimilar(one, other), isSimilar(other, one)]).toEqual([true, true])
  })

  it.each([
    ['Which database?', 'Which database should hold the orders of the shop?'],
    ['Which database?', 'Which database user?'],
    ['What is the deadline of the first release?', 'Who decides about the deadline of the translation?'],
    ['What is the deadline of the first release?', 'What happens when a deadline passes without a release?'],
    ['Who decides about the deadline of the translation?', 'What happens when a deadline passes without a release?'],
    ['May I delete the old customer data?', 'May I delete the old test data of the shop?'],
    ['Should the service keep logs for 30 days?', 'Should the service keep logs for 90 days?'],
    ['Should the upload limit of the shop be 10 MB?', 'Should the upload limit of the shop be MB?'],
    ['Should the code use TypeScript?', 'Should the code never use Python?'],
    ['¿?', 'Which database?'],
  ])('are different: "%s" and "%s"', (one, other) => {
    expect([isSimilar(one, other), isSimilar(other, one)]).toEqual([false, false])
  })
})
