import { describe, expect, it } from 'vitest'

import { growthOf } from '../../../test/support/growth.ts'
import { partedFile } from './parts.ts'

const gem = (place: string): string => `GEM\n  remote: ${place}\n  specs:\n    a (1)\n`

/** Texts of a size for which a pattern or a comparison could take more than a time in proportion to their length. */
const hostile: readonly (readonly [file: string, about: string, text: (size: number) => string])[] = [
  ['pom.xml', 'beginnings of comments', (size) => '<!--'.repeat(size / 4)],
  ['CMakeLists.txt', 'one long word', (size) => 'a'.repeat(size)],
  ['build.gradle', 'a word again and again', (size) => 'apply '.repeat(size / 6)],
  ['pyproject.toml', 'many tables', (size) => '[[a]]\n'.repeat(size / 6)],
  ['pnpm-lock.yaml', 'one long word', (size) => `packages:\n  a@1:\n    resolution: {${'a'.repeat(size)}`],
  ['Gemfile.lock', 'many places of many packages', (size) => `GEM\n${'  remote: x\n    a (1)\n'.repeat(size / 24)}`],
  [
    'yarn.lock',
    'one entry of many ranges',
    (size) => `${'a@1, '.repeat(size / 10)}\n  version "${'1'.repeat(size / 2)}"\n`,
  ],
]

/** Texts whose entries could double what is kept of them. */
const doubling: readonly (readonly [file: string, about: string, text: string])[] = [
  ['Gemfile.lock', 'one package in many places', Array.from({ length: 60 }, (_, at) => gem(String(at))).join('')],
  ['go.sum', 'one module many times', Array.from({ length: 60 }, (_, at) => `a v1 h1:${at}\n`).join('')],
]

/** Compares a text as an examination does; returns the characters that are kept of it. */
function compare(name: string, text: string): number {
  const file = partedFile(name, () => true)
  const parts = file?.partsOf(text)
  file?.putBack(text, '')
  file?.putBack('', text)
  return [...(parts ?? [])].reduce((sum, [key, value]) => sum + key.length + value.length, 0)
}

describe('a hostile file', () => {
  it.each(hostile)('%s of %s takes a time in proportion to its size', (name, _, text) => {
    expect(growthOf((size) => void compare(name, text(size)), 15_000)).toBeLessThan(10)
    expect(compare(name, text(60_000))).toBeLessThan(20_000_000)
  })

  it.each(doubling)('%s of %s is kept in little space', (name, _, text) => {
    expect(compare(name, text)).toBeLessThan(100_000)
  })

  it('counts as a whole if it is larger than any that people write, or has more entries', () => {
    const many = Array.from({ length: 100_001 }, (_, at) => `a v${at} h1:x\n`).join('')
    expect(partedFile('pom.xml')?.partsOf(`<project>${' '.repeat(300_000)}</project>`)).toBeNull()
    expect(partedFile('go.sum')?.partsOf(many)).toBeNull()
    expect(partedFile('go.sum')?.partsOf(many.slice(0, 1_000))).not.toBeNull()
  })

  it('has the same statements with and without comments', () => {
    const xml = partedFile('pom.xml')
    const parts = (text: string) => [...(xml?.partsOf(text) ?? [])]
    const plain = '<project>\n<skip>true</skip>\n</project>'
    expect(parts(plain)).not.toEqual([])
    expect(parts(`<!-- a --><!-- <skip>b</skip> -->${plain}<!---->`)).toEqual(parts(plain))
    expect(parts(`${plain}<!-- <skip>false</skip>`)).not.toEqual(parts(plain))
  })
})
