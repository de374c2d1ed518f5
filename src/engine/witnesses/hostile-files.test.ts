import { describe, expect, it } from 'vitest'

import { partedFile } from './parts.ts'

const gem = (place: string): string => `GEM\n  remote: ${place}\n  specs:\n    a (1)\n`

/** Texts for which a pattern or a comparison could take more than a time in proportion to their length. */
const hostile: readonly (readonly [file: string, about: string, text: string])[] = [
  ['pom.xml', 'beginnings of comments', '<!--'.repeat(60_000)],
  ['CMakeLists.txt', 'one long word', 'a'.repeat(250_000)],
  ['build.gradle', 'a word again and again', 'apply '.repeat(40_000)],
  ['pyproject.toml', 'many tables', '[[a]]\n'.repeat(10_000)],
  ['Gemfile.lock', 'one package in many places', Array.from({ length: 60 }, (_, at) => gem(String(at))).join('')],
  ['Gemfile.lock', 'many places of many packages', `GEM\n${'  remote: x\n    a (1)\n'.repeat(10_000)}`],
  ['go.sum', 'one module many times', Array.from({ length: 60 }, (_, at) => `a v1 h1:${at}\n`).join('')],
  ['yarn.lock', 'one entry of many ranges', `${'a@1, '.repeat(20_000)}\n  version "${'1'.repeat(100_000)}"\n`],
]

describe('a hostile file', () => {
  it.each(hostile)('%s of %s is compared in little time', (name, _, text) => {
    const file = partedFile(name, () => true)
    const began = performance.now()
    const parts = file?.partsOf(text)
    file?.putBack(text, '')
    file?.putBack('', text)
    const kept = [...(parts ?? [])].reduce((sum, [key, value]) => sum + key.length + value.length, 0)
    expect(performance.now() - began).toBeLessThan(3_000)
    expect(kept).toBeLessThan(20_000_000)
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
