import { expect, it } from 'vitest'

import { changesOf, compare } from './compare.ts'

const texts = (before: string, after: string): string[] =>
  compare(before, after).map(({ sign, text }) => `${sign}${text}`)

it('compares two texts line by line', () => {
  expect(texts('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toEqual([' a', '-b', '+x', ' c', ' d', '+e'])
  expect(texts('a', 'a')).toEqual([' a'])
  expect(texts('', 'a\nb')).toEqual(['-', '+a', '+b'])
  expect(texts('one\ntwo\nthree', 'three\none\ntwo')).toEqual(['+three', ' one', ' two', '-three'])
})

it('treats very long different texts as replaced, between their common ends', () => {
  const lines = (name: string) => Array.from({ length: 3_000 }, (_, line) => `${name} ${line}`).join('\n')
  const compared = compare(`first\n${lines('a')}\nlast`, `first\n${lines('b')}\nlast`)
  expect([compared.length, compared[0]?.sign, compared[1]?.sign, compared.at(-2)?.sign]).toEqual([6_002, ' ', '-', '+'])
})

it('shows changes with three lines around them', () => {
  const before = Array.from({ length: 30 }, (_, line) => `${line}`)
  const after = before.with(10, 'ten').with(25, 'twenty-five')
  const shown = changesOf(compare(before.join('\n'), after.join('\n')))
  expect(shown.map((line) => (line === null ? '…' : `${line.sign}${line.text}`))).toEqual(
    '…, 7, 8, 9,-10,+ten, 11, 12, 13,…, 22, 23, 24,-25,+twenty-five, 26, 27, 28,…'.split(','),
  )
  expect(changesOf(compare('a\nb', 'a\nb'))).toEqual([null])
})
