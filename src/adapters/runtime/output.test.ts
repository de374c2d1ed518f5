import { expect, it } from 'vitest'

import { createLineSplitter, createTranscript, readable } from './output.ts'
import type { RuntimeEvent } from './port.ts'

function split(chunks: readonly (string | Buffer)[], isSkimming = false) {
  const lines: [string, number][] = []
  let skipped = 0
  const splitter = createLineSplitter({
    isSkimming: () => isSkimming,
    onLine: (line, cutBytes) => lines.push([line, cutBytes]),
    onSkip: (bytes) => (skipped += bytes),
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
    skipped: 10,
  })
})

it('discards lines after a megabyte, however short they are', () => {
  const events: RuntimeEvent[] = []
  const transcript = createTranscript((event) => events.push(event))
  for (let line = 0; line < 200_000; line += 1) transcript.text('y')
  expect(events.length).toBeLessThan(40_000)
  expect(events.at(-1)).toEqual({
    kind: 'text',
    text: 'Output limit of 1 MB reached: further output is counted and discarded.',
  })
  expect(transcript.missing()).toBe(`${(200_000 - events.length + 1) * 2} bytes of the agent's output were discarded`)
})

it.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['a\u0000b', 'a�b'],
  ['10 %\r20 %\r\n', '10 %\n20 %'],
  ['tab\tand line\n', 'tab\tand line'],
  ['half \ud800', 'half �'],
  ['  \t ', ''],
])('makes %j readable', (raw, clean) => {
  expect(readable(raw)).toBe(clean)
})

it('limits a readable text to 64 KB even if replaced bytes grow', () => {
  expect(Buffer.byteLength(readable('\u0001'.repeat(60_000)))).toBeLessThanOrEqual(64 * 1024)
})
