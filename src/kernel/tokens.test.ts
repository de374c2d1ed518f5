import { expect, it } from 'vitest'

import { estimateTokens } from './tokens.ts'

it.each([
  ['', 0],
  ['River finds the sea', 4],
  ['internationalisation', 3],
  ['{"input_tokens": 1850}', 10],
  ['```json\n\n```', 4],
])('estimates %j at %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens)
})
