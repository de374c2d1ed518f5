import { expect, it } from 'vitest'

import { withColours, withoutColours } from './text.ts'

const clean = (text: string): string => text.replaceAll('\u0007', '�')

it.each([
  ['plain\u0007\n', 'plain�\n'],
  ['\u001b[31mred\nnext', '\u001b[31mred\u001b[0m\nnext'],
  ['a\u0007\u001b[1;38;5;8mb', 'a�\u001b[1;38;5;8mb'],
  ['\u001b[8mhidden\u001b[0m', 'hidden\u001b[0m'],
  ['\u001b[1;8mhidden', 'hidden'],
])('shows the colours of %j on a terminal', (text, shown) => {
  expect(withColours(text, clean)).toBe(shown)
})

it('removes colours where there are none', () => {
  expect(withoutColours('a \u001b[1;31mred\u001b[0m word')).toBe('a red word')
})
