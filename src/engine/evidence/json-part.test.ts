import { expect, it } from 'vitest'

import { missingIn } from './json-part.ts'

const whole = { ok: true, items: [{ id: 1, name: 'a' }], more: null, deep: { er: 0 } }

it.each([{}, { ok: true }, { more: null }, { items: [{ name: 'a' }] }, { deep: {} }, whole])('contains %j', (part) => {
  expect(missingIn(whole, part)).toBeNull()
})

it.each([
  [{ ok: 1 }, '$.ok'],
  [{ items: [] }, '$.items'],
  [{ items: [{ id: '1' }] }, '$.items[0].id'],
  [{ more: {} }, '$.more'],
  [{ deep: { er: null } }, '$.deep.er'],
  [{ toString: {} }, '$.toString'],
  [[], '$'],
  [null, '$'],
])('does not contain %j', (part, path) => {
  expect(missingIn(whole, part)).toBe(path)
})

it('fails on unbounded nesting', () => {
  const nested = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as unknown
  expect(missingIn(nested, nested)).toMatch(/^\$(\[0\])+$/)
})
