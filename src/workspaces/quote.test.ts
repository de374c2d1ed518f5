import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { shellCommand } from './quote.ts'

it('passes every word to a program unchanged', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "'",
      "''",
      '$(id)',
      '`id`',
      '\\',
      '"',
      '\n',
      '-n',
      '--',
      '',
      '$HOME',
      '*',
      '!',
      ';',
      '&',
      '| id',
      '~',
    ),
  )
  fc.assert(
    fc.property(
      fc.array(
        word.filter((text) => !text.includes('\0')),
        { minLength: 1, maxLength: 5 },
      ),
      (words) => {
        const printed = execFileSync('/bin/sh', ['-c', shellCommand(['printf', '%s\\0', ...words])], {
          encoding: 'utf8',
        })
        expect(printed).toBe(words.map((each) => `${each.toWellFormed()}\0`).join(''))
      },
    ),
    { numRuns: 50 },
  )
})
