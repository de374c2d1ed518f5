import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import { yamlText } from './yaml.ts'

describe('the YAML writer', () => {
  it('writes one key per line without folding or aliases', () => {
    expect(
      yamlText({
        name: 'Shop',
        at: '2030-01-01T00:00:00.000Z',
        count: 3,
        isOpen: true,
        lead: null,
        left: undefined,
        none: [],
        nothing: {},
        list: ['a', 1],
        seats: [
          { title: 'Boss: "A"', limits: [{ kind: 'x' }] },
          { title: 'no', text: 'two\n\nlines' },
          ['nested', ['deeper']],
        ],
        text: 'ends\nproperly\n',
        blank: ' x\n y',
      }),
    ).toBe(`name: Shop
at: 2030-01-01T00:00:00.000Z
count: 3
isOpen: true
lead: null
none: []
nothing: {}
list:
  - a
  - 1
seats:
  - title: "Boss: \\"A\\""
    limits:
      - kind: x
  - title: "no"
    text: |-
      two

      lines
  - - nested
    - - deeper
text: |
  ends
  properly
blank: " x\\n y"
`)
  })

  it.each([
    ['text', 'text\n'],
    ['', '""\n'],
    [3, '3\n'],
    [null, 'null\n'],
    [[], '[]\n'],
    [{}, '{}\n'],
    [['a'], '- a\n'],
  ])('writes the scalar %j as %j', (value, text) => {
    expect(yamlText(value)).toBe(text)
  })

  it('writes any texts so that they are parsed back unchanged', () => {
    const words = `~ null NO 1e3 0x1 .inf a: #a ' " | > *a &a !a % @ {a} [a] --- ... << = ? é 日本 🎉`.split(' ')
    const edges = ['- a', 'a: b', 'a #b', ' a', 'a ', '\t', 'a\tb', '\r\n', '\u0085', '\u2028', '\u00a0', '\ufeff']
    const lines = ['\n', '\n\n', 'a\n b', 'a \nb', 'a\n', 'a\n\n', '\na', 'a\n\nb', '#\n#', '- a\n- b']
    const awkward = fc.constantFrom(...words, ...edges, ...lines)
    const text = fc.oneof(
      awkward,
      fc.string({ unit: 'grapheme' }),
      fc.array(awkward).map((parts) => parts.join('')),
    )
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__' && key !== '<<'),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    })).value
    const isFaithful = (each: unknown): void => {
      expect(parse(yamlText(each), { version: '1.2' })).toEqual(each)
    }
    fc.assert(fc.property(value, isFaithful), { numRuns: 1_000 })
  })
})
