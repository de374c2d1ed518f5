import { expect, it } from 'vitest'

import { iconOf, titleOf } from './title.ts'

it('the count comes before the name of the page, and is left out while nothing waits', () => {
  expect(titleOf('Runs · Agency', 3)).toBe('(3) Runs · Agency')
  expect(titleOf('Runs · Agency', 0)).toBe('Runs · Agency')
})

it('the icon is the file while nothing waits, and carries at most two characters otherwise', () => {
  expect(iconOf(0)).toBe('/favicon.svg')
  expect(decodeURIComponent(iconOf(7))).toContain('>7</text>')
  expect(decodeURIComponent(iconOf(12))).toContain('>9+</text>')
})
