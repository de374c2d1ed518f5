import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { textWidth } from './text-width.ts'
import { wrap } from './wrap.ts'

describe('a line on a terminal', () => {
  it('is broken at a space and never within an id', () => {
    expect(wrap('  the run waits for your answer: agency answer qst_c8cqb1y6z7v3 retry', 40).split('\n')).toEqual([
      '  the run waits for your answer: agency',
      '    answer qst_c8cqb1y6z7v3 retry',
    ])
  })

  it('continues below the value that its label introduces', () => {
    expect(wrap('address  a value that does not fit in the terminal', 30).split('\n')).toEqual([
      'address  a value that does not',
      '         fit in the terminal',
    ])
  })

  it('begins with a word that would not fit behind the indentation', () => {
    const address = `http://${'a'.repeat(25)}`
    expect(wrap(`address  ${address} and more`, 32)).toBe(`address\n${address}\n         and more`)
  })

  it('keeps its words, their order and its colours', () => {
    const word = fc.stringMatching(/^[a-z0-9_\u00e9\u4e2d]{1,20}$/)
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 20, max: 120 }),
        (words, width) => {
          const line = `\x1b[31m${words.join(' ')}\x1b[39m`
          const wrapped = wrap(line, width)
          expect(wrapped.split(/\s+/)).toEqual(line.split(' '))
          const bound = Math.max(width, ...words.map((each) => textWidth(each) + width / 3))
          for (const each of wrapped.split('\n')) expect(textWidth(each)).toBeLessThanOrEqual(bound)
        },
      ),
    )
  })

  it('is left alone in a pipe and where it fits', () => {
    const line = `  ${'many words '.repeat(50)}`
    expect(wrap(line, Number.POSITIVE_INFINITY)).toBe(line)
    expect(wrap('it fits', 80)).toBe('it fits')
  })
})
