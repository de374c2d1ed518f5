import fc from 'fast-check'
import { expect, it } from 'vitest'

import { parseIntent, renderIntent } from './intent.ts'
import { intentText } from './templates.ts'

const nothing = { optimiseFor: [], protect: [], neverSacrifice: [], constraints: [] }

const written = `# Intent of Kent Ventures

We are small and want to stay so.

## Optimise for

- Learning quickly,
  even where it costs a little
- Small bets

## Protect

Above all:

* The portfolio floor
+ Everybody's time

## Constraints
- 500 EUR a day
  - and never on a Sunday

Anything else: ask.
`

it('reads the four lists among any other text', () => {
  expect(parseIntent(written)).toEqual({
    intent: {
      optimiseFor: ['Learning quickly, even where it costs a little', 'Small bets'],
      protect: ['The portfolio floor', "Everybody's time"],
      neverSacrifice: [],
      constraints: ['500 EUR a day', 'and never on a Sunday'],
    },
    warnings: [],
  })
})

it.each([
  ['nothing', ''],
  ['prose alone', 'Do good work.\n\n- and this is no item of ours\n'],
  ['the text that it begins with', intentText('Development')],
  ['headings of other things', '# Intent\n\n### Details\n\n- x\n'],
])('finds empty lists and no warnings in %s', (_, text) => {
  expect(parseIntent(text)).toEqual({ intent: nothing, warnings: [] })
})

it('accepts headings in any case, with American spelling, Windows line ends and a byte order mark', () => {
  const text = '\uFEFF## OPTIMIZE FOR:\r\n- a\r\n\r\n##  never sacrifice ##\r\n- b\r\n'
  expect(parseIntent(text)).toEqual({ intent: { ...nothing, optimiseFor: ['a'], neverSacrifice: ['b'] }, warnings: [] })
})

it('ignores items in code and comments', () => {
  const text = '## Protect\n\n- a\n\n```\n- b\n## Constraints\n```\n\n<!--\n- c\n## Constraints\n-->\n\n- d\n'
  expect(parseIntent(text).intent).toEqual({ ...nothing, protect: ['a', 'd'] })
})

it('warns of headings that resemble lists and are ignored', () => {
  const text = '# Protect\n- a\n### Constraints\n- b\n## Goals\n- c\n##Protect\n- d\n## Protect\n- e\n## Protect\n- f\n'
  const { intent, warnings } = parseIntent(text)
  expect(intent).toEqual({ ...nothing, protect: ['e', 'f'] })
  expect(warnings).toEqual([
    'line 1: "Protect" is ignored; it needs two # and has 1',
    'line 3: "Constraints" is ignored; it needs two # and has 3',
    'line 5: "## Goals" is not one of Optimise for, Protect, Never sacrifice, Constraints; it is kept but ignored',
    'line 7: "Protect" is ignored; it needs a space after the #',
    'line 11: "## Protect" appears twice; its items are joined',
  ])
})

it('replaces the items and keeps every other line', () => {
  const { intent } = parseIntent(written)
  const rendered = renderIntent(written, {
    ...intent,
    protect: ['The floor'],
    neverSacrifice: ['Honesty'],
    constraints: [],
  })
  expect(rendered).toBe(`# Intent of Kent Ventures

We are small and want to stay so.

## Optimise for

- Learning quickly,
  even where it costs a little
- Small bets

## Protect

Above all:

- The floor

## Constraints

Anything else: ask.

## Never sacrifice

- Honesty
`)
})

it('fills the initial text', () => {
  const wanted = { optimiseFor: ['a'], protect: ['b', 'c'], neverSacrifice: ['d'], constraints: ['e'] }
  const rendered = renderIntent(intentText('Development'), wanted)
  expect(rendered).toContain('## Protect\n\n- b\n- c\n\n## Never sacrifice\n')
  expect(parseIntent(rendered)).toEqual({ intent: wanted, warnings: [] })
})

it('leaves a text with the same lists unchanged', () => {
  expect(renderIntent(written, parseIntent(written).intent)).toBe(written)
})

it('reads back the lists that it wrote into any text', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '## Protect',
      '## Constraints',
      '##Protect',
      '# x',
      '- a',
      '  - b',
      '  goes on',
      '',
      '```',
      '~~~~',
      '<!-- x',
      '-->',
      '\t* c',
    ),
    fc.string({ unit: 'grapheme' }),
  )
  const item = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('- x', '# y', '```', '<!--', 'two\nlines', '  '),
  )
  const list = fc.array(item, { maxLength: 3 })
  const lists = fc.record({ optimiseFor: list, protect: list, neverSacrifice: list, constraints: list })
  const tidy = (items: string[]): string[] =>
    items.map((each) => each.replace(/\s+/g, ' ').trim()).filter((each) => each !== '')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), lists, (lines, newline, wanted) => {
      const rendered = renderIntent(lines.join(newline), wanted)
      expect(parseIntent(rendered).intent).toEqual({
        optimiseFor: tidy(wanted.optimiseFor),
        protect: tidy(wanted.protect),
        neverSacrifice: tidy(wanted.neverSacrifice),
        constraints: tidy(wanted.constraints),
      })
      expect(renderIntent(rendered, wanted)).toBe(rendered)
    }),
    { numRuns: 500 },
  )
})
