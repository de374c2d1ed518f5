import { expect, it } from 'vitest'

import { createLineSplitter } from './output.ts'
import { readable } from './readable.ts'

function split(chunks: readonly (string | Buffer)[], isSkimming = false) {
  const lines: [string, number][] = []
  const skipped: [string, number][] = []
  const splitter = createLineSplitter({
    isSkimming: () => isSkimming,
    onLine: (line, cutBytes) => lines.push([line, cutBytes]),
    onSkip: (block, count) => skipped.push([block.toString(), count]),
  })
  for (const chunk of chunks) splitter.write(Buffer.from(chunk))
  splitter.end()
  return { lines, skipped }
}

it('splits lines independently of chunk boundaries, even within a character', () => {
  const bytes = Buffer.from('eins\nzwö\r\n\ndrei')
  for (let at = 0; at <= bytes.length; at += 1) {
    const { lines } = split([bytes.subarray(0, at), bytes.subarray(at)])
    expect(lines).toEqual([
      ['eins', 0],
      ['zwö', 0],
      ['', 0],
      ['drei', 0],
    ])
  }
})

it('cuts a line at 64 KB without splitting a character, and counts the rest', () => {
  const line = `x${'ü'.repeat(40_000)}`
  for (const chunks of [
    [line, '\nnext\n'],
    [`${line}\nnext\n`],
    [line.slice(0, 30_000), line.slice(30_000), '\nnext'],
  ]) {
    const { lines } = split(chunks)
    expect(lines.map(([text]) => text.length)).toEqual([1 + 32_767, 4])
    expect(lines.map(([, cutBytes]) => cutBytes)).toEqual([80_001 - 65_536, 0])
  }
})

it('reads only lines that may be objects while skimming', () => {
  expect(split(['skip\n\n{"a":1}\nski', 'p\nskip\n{"b":', '2}\nlast'], true)).toEqual({
    lines: [
      ['{"a":1}', 0],
      ['skip', 0],
      ['{"b":2}', 0],
      ['last', 0],
    ],
    skipped: [
      ['skip\n\n', 2],
      ['skip\n', 1],
    ],
  })
})

it('keeps the last state of a progress line that is longer than 64 KB', () => {
  const states = Array.from({ length: 20_000 }, (_, at) => `${at} %`)
  const whole = `${states.join('\r')}\nnext\n`
  const { lines } = split(whole.match(/[^]{1,5000}/g) ?? [])
  expect(lines.map(([line]) => readable(line))).toEqual(['19999 %', 'next'])
  expect(lines.map(([, cut]) => cut)).toEqual([0, 0])
})

it.each([
  ['\u001b[31mred\u001b[0m', '\u001b[31mred\u001b[0m'],
  ['\u001b[2J\u001b]0;title\u0007\u001b[1;38:5:196mred\u001b[1A', '\u001b[1;38:5:196mred'],
  ['\u009b31mred\u001b', 'red�'],
  ['a\u001b]8;;https://a.b\u001b\\link\u001b]8;;\u0007 \u009d52;c;aGk=\u009cb\u001b(Bc', 'alink bc'],
  ['a\u001b]0;no end\nof it\u0007', 'a0;no end\nof it�'],
  ['a\u0000b', 'a�b'],
  ['10 %\r20 %\r\n', '20 %'],
  ['10 %\r20 %\r\r\nnext\r', '20 %\nnext'],
  ['a\n\nb', 'a\n\nb'],
  ['tab\tand line\n', 'tab\tand line'],
  ['half \ud800', 'half �'],
  ['  \t ', ''],
])('makes %j readable', (raw, clean) => {
  expect(readable(raw)).toBe(clean)
})

it('makes lines full of unfinished terminal strings readable without searching each line again and again', () => {
  const titles = '\u001b]0;'.repeat(16_000)
  for (let line = 0; line < 32; line += 1) expect(readable(titles)).toBe('0;'.repeat(16_000))
})

it('limits a readable text to 64 KB even if replaced bytes grow', () => {
  expect(Buffer.byteLength(readable('\u0001'.repeat(60_000)))).toBeLessThanOrEqual(64 * 1024)
})
