import { describe, expect, it } from 'vitest'

import { createRedactor } from '../../secrets/redact.ts'
import type { RuntimeEvent } from './port.ts'
import { createTranscript, maxTextBytes } from './transcript.ts'

function open() {
  const texts: string[] = []
  const events: RuntimeEvent[] = []
  const transcript = createTranscript((event) => {
    events.push(event)
    if (event.kind === 'text') texts.push(event.text)
  })
  return { transcript, texts, events }
}

const notice = '… the output goes on; its end follows when the agent has ended …'

/** The marker of what was left out, as numbers. */
const leftOut = (texts: readonly string[]): number[] =>
  texts.flatMap((text) => /^… (\d+) bytes, (\d+) lines left out …$/.exec(text)?.slice(1).map(Number) ?? [])

describe('a transcript', () => {
  it('delivers a short output as it arrives, with blank lines and marks', () => {
    const { transcript, events } = open()
    for (const line of ['one', '', 'two']) transcript.text(line)
    transcript.text('wrong', 0, 'stderr')
    transcript.end()
    expect(events).toEqual([
      { kind: 'text', text: 'one' },
      { kind: 'text', text: '' },
      { kind: 'text', text: 'two' },
      { kind: 'text', text: 'wrong', from: 'stderr' },
    ])
    expect(transcript.missing()).toBeUndefined()
  })

  it('keeps the beginning and the end, and counts the lines between them', () => {
    const { transcript, texts } = open()
    const length = 'line 123456'.length + 1
    for (let line = 100_000; line < 300_000; line += 1) transcript.text(`line ${line}`)
    const live = texts.length
    expect([texts[0], texts.at(-1)]).toEqual(['line 100000', notice])
    transcript.end()
    expect(texts.at(-1)).toBe('line 299999')
    const [bytes = 0, lines = 0] = leftOut(texts)
    expect(lines).toBe(200_000 - (texts.length - 2))
    expect(bytes).toBe(lines * (length - 1))
    expect(texts[live + 1]).toBe(`line ${100_000 + live - 1 + lines}`)
    expect(transcript.missing()).toBe(`${bytes} bytes of the agent's output were discarded`)
    expect(texts.join('\n').length).toBeLessThan(2 * maxTextBytes)
  })

  it('delivers an output of less than both limits whole', () => {
    const { transcript, texts } = open()
    for (let line = 0; line < 40_000; line += 1) transcript.text(`${line}`)
    transcript.end()
    expect(texts.filter((text) => text !== notice)).toEqual(Array.from({ length: 40_000 }, (_, line) => `${line}`))
    expect(transcript.missing()).toBeUndefined()
  })

  it('keeps the end of blocks that were skipped, in the order of both streams', () => {
    const { transcript, texts, events } = open()
    while (!transcript.isFull()) transcript.text('y')
    const before = texts.length
    const block = Buffer.from('y\n'.repeat(30_000))
    for (let count = 0; count < 100; count += 1) transcript.skip(block, 30_000)
    transcript.skip(Buffer.from('last\n'), 1)
    transcript.skip(Buffer.from('it failed\n'), 1, 'stderr')
    block.fill('z')
    transcript.end()
    expect(events.slice(-2)).toEqual([
      { kind: 'text', text: 'last' },
      { kind: 'text', text: 'it failed', from: 'stderr' },
    ])
    const [, lines = 0] = leftOut(texts)
    const shown = texts.length - before - 1
    // The line that was one too many for the beginning is part of the end.
    expect(lines + shown).toBe(1 + 100 * 30_000 + 2)
    expect(shown).toBeGreaterThan(20_000)
    expect(new Set(texts.slice(before + 1, -2))).toEqual(new Set(['y']))
  })

  it('leaves out the rest of a private key whose beginning is left out', () => {
    const { transcript, texts } = open()
    while (!transcript.isFull()) transcript.text('filler')
    transcript.text('-----BEGIN PRIVATE KEY-----')
    const material = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7'
    for (let line = 0; line < 30_000; line += 1) transcript.text(material)
    transcript.text('\u001b[32m-----END PRIVATE KEY-----\u001b[0m')
    transcript.text('after')
    transcript.end()
    expect(texts.slice(-2)).toEqual([expect.stringMatching(/^… \d+ bytes, \d+ lines left out …$/), 'after'])
    expect(texts).not.toContain(material)
  })

  it('keeps a whole private key of the end for the redaction', () => {
    const { transcript, texts } = open()
    while (!transcript.isFull()) transcript.text('filler')
    for (let line = 0; line < 200_000; line += 1) transcript.text('filler')
    for (const line of ['-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkq', '-----END PRIVATE KEY-----'])
      transcript.text(line)
    transcript.end()
    expect(texts.slice(-3)).toEqual(['-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkq', '-----END PRIVATE KEY-----'])
  })

  const keyLines = Array.from({ length: 30 }, (_, line) => `MIIEvQ${line}`.padEnd(60, 'aB3dE9fG'))
  const begin = '-----BEGIN PRIVATE KEY-----'
  const end = '-----END PRIVATE KEY-----'
  /** Returns the output as it is stored, line by line: each stream is redacted by itself. */
  const stored = (feed: (add: (text: string, from?: 'stderr') => void) => void): string[] => {
    const redact = { output: createRedactor(), stderr: createRedactor() }
    const kept: string[] = []
    const transcript = createTranscript((event) => {
      if (event.kind === 'text') kept.push(redact[event.from ?? 'output'](event.text))
    })
    for (let bytes = 0; bytes + 132 < maxTextBytes - 700; bytes += 132) transcript.text('x'.repeat(100))
    feed((text, from) => transcript.text(text, 0, from))
    transcript.end()
    return kept
  }
  const flood = (add: (text: string, from?: 'stderr') => void, from?: 'stderr') => {
    for (let line = 0; line < 9_000; line += 1) add('z'.repeat(100).concat(' .'), from)
  }

  it.each([
    ['no gap is between', ['after'], () => {}],
    ['the other stream is between', ['after'], (add: (text: string, from?: 'stderr') => void) => flood(add, 'stderr')],
    [
      'the other stream has a whole key',
      ['after'],
      (add: (text: string, from?: 'stderr') => void) => {
        for (let times = 0; times < 3; times += 1) flood(add, 'stderr')
        for (const line of [begin, end]) add(line, 'stderr')
      },
    ],
  ])(
    'leaves out the rest of a private key that begins at the end of the beginning and of which %s',
    (_, last, then) => {
      const kept = stored((add) => {
        for (const line of [begin, ...keyLines.slice(0, 15)]) add(line)
        then(add)
        for (const line of [...keyLines.slice(15), end, 'after']) add(line)
      })
      expect(kept.slice(-1)).toEqual(last)
      expect(kept.filter((line) => line.includes('MIIEvQ'))).toEqual([])
    },
  )

  it('leaves out the middle of a private key whose end never came', () => {
    const kept = stored((add) => {
      for (const line of [begin, ...keyLines]) add(line)
      flood(add)
      add(begin)
      flood(add, 'stderr')
      for (const line of keyLines) add(line)
      flood(add, 'stderr')
    })
    expect(kept.filter((line) => line.includes('MIIEvQ'))).toEqual([])
  })

  it('keeps the end of a long text of base64 that is no key', () => {
    const kept = stored((add) => {
      for (let line = 0; line < 40_000; line += 1) add(`${line}`.padEnd(60, 'aB3dE9fG'))
    })
    expect(kept.slice(-5_000, -4_999)).toEqual(['35000'.padEnd(60, 'aB3dE9fG')])
  })
})
