import { describe, expect, it } from 'vitest'

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
})
