import { expect, it, onTestFinished } from 'vitest'

import { nearestOfSixteen } from './colours.ts'
import { createScreen, keptLines, type Screen } from './screen.ts'

function open(columns = 40): Screen {
  const screen = createScreen(columns)
  onTestFinished(() => screen.dispose())
  return screen
}
const textOf = (screen: Screen): string[] =>
  Array.from({ length: screen.length() }, (_, index) =>
    screen
      .line(index)
      .map(({ text }) => text)
      .join(''),
  )
const escape = '\u001b'

it('shows lines as they were printed, without blank ones at the end', async () => {
  const screen = open()
  expect(screen.length()).toBe(0)
  await screen.write('one\ntwo\r\n\n  four ☃ 🎉 漢字\n\n')
  expect(textOf(screen)).toEqual(['one', 'two', '', '  four ☃ 🎉 漢字'])
})

it('continues after a chunk that ended in the middle of an escape sequence', async () => {
  const screen = open()
  await screen.write(`half ${escape}[3`)
  await screen.write('1mred')
  expect(screen.line(0)).toEqual([
    { text: 'half ', look: '' },
    { text: 'red', look: 'fg-1' },
  ])
})

it('maps colours and styles to classes', async () => {
  const screen = open(80)
  await screen.write(
    `${escape}[1;32mok${escape}[0m ${escape}[38;2;250;70;70mrgb${escape}[0m ${escape}[48;5;21m${escape}[4mbg${escape}[0m ${escape}[8mhidden`,
  )
  expect(screen.line(0)).toEqual([
    { text: 'ok', look: 'fg-2 bold' },
    { text: ' ', look: '' },
    { text: 'rgb', look: 'fg-9' },
    { text: ' ', look: '' },
    { text: 'bg', look: 'bg-4 underline' },
    { text: ' hidden', look: '' },
  ])
})

it('lets a program overwrite its own line, and wraps lines again after a resize', async () => {
  const screen = open(20)
  await screen.write('10 %\r20 %\r100 %\n')
  expect(textOf(screen)).toEqual(['100 %'])
  await screen.write('a line of thirty characters....\n')
  expect(textOf(screen)).toEqual(['100 %', 'a line of thirty cha', 'racters....'])
  screen.resize(40)
  expect(textOf(screen)).toEqual(['100 %', 'a line of thirty characters....'])
})

it('ignores sequences that would act on a terminal', async () => {
  const screen = open(60)
  const acts = [
    `${escape}]0;a title\u0007`,
    `${escape}]52;c;cm0gLXJmIC8=\u0007`,
    `${escape}]8;;https://example.com\u0007link${escape}]8;;\u0007`,
    `${escape}[6n${escape}[c${escape}Z${escape}[5n`,
    `${escape}]11;?\u0007${escape}P$q"p${escape}\\`,
    `${escape}[8;1;1t${escape}[?1000h\u0007`,
    `${escape}_private${escape}\\`,
    '<img src=x onerror=alert(1)>',
  ]
  await screen.write(`${acts.join('')}\nafter`)
  expect(textOf(screen)).toEqual(['link<img src=x onerror=alert(1)>', 'after'])
  expect(screen.line(0)[0]?.look).not.toMatch(/[^a-z0-9 -]/)
})

it('keeps the newest lines of 60,000, within ten seconds', async () => {
  const screen = open()
  const began = performance.now()
  await screen.write('a line of some length, over and over\n'.repeat(60_000))
  await screen.write('the last')
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(screen.length()).toBeLessThanOrEqual(keptLines + 24)
  expect(textOf(screen).at(-1)).toBe('the last')
})

it('maps a colour to the nearest of sixteen', () => {
  expect(nearestOfSixteen('palette', 12)).toBe(12)
  expect(nearestOfSixteen('palette', 196)).toBe(1)
  expect(nearestOfSixteen('palette', 255)).toBe(7)
  expect(nearestOfSixteen('rgb', 0x00ff88)).toBe(10)
  expect(nearestOfSixteen('rgb', 0x010101)).toBe(0)
})
