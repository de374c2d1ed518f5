import { describe, expect, it } from 'vitest'

import { markdownTree } from './markdown-tree.ts'

const textOf = (markdown: string): string => JSON.stringify(markdownTree(markdown))

describe('the tree of a Markdown text', () => {
  it('has its formatting and no positions', () => {
    const text = textOf('# Title\n\nSome *text* with a [link](https://example.org) and\n\n| a |\n| - |\n| b |')
    for (const part of ['"h1"', '"em"', '"href":"https://example.org"', '"table"']) expect(text).toContain(part)
    expect(text).not.toContain('position')
  })

  it('has no address that leads to this daemon or that the browser loads by itself', () => {
    const text = textOf(
      '[a](/api/stop) [b](javascript:alert(1)) [c](#x) ![d](https://evil.example/x.png) <img src="https://evil.example/y"><script>z</script>',
    )
    expect(text).not.toMatch(/evil|javascript|api|script>|"href"/)
  })

  it('is null for a text that is nested too deep or has too many elements', () => {
    expect(markdownTree('>'.repeat(90))).not.toBeNull()
    expect(markdownTree('>'.repeat(300))).toBeNull()
    expect(markdownTree('---\n'.repeat(12_000))).toBeNull()
  })
})
