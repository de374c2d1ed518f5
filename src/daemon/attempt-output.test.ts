import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, it, onTestFinished } from 'vitest'

import { createAttemptFiles } from './attempt-files.ts'
import { readPart } from './attempt-output.ts'

function fresh(): string {
  const root = mkdtempSync(join(tmpdir(), 'agency-output-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return root
}

it('continues where the last response ended while the file is being written', async () => {
  const files = createAttemptFiles(fresh())
  await files.writePrompts('att_1', { prompt: 'Do it', systemPrompt: null })
  expect(await files.readOutput('att_1', null)).toEqual({ from: 0, text: '', next: 0, isAll: true })
  const output = await files.openOutput('att_1')
  output.append('one ☃\n')
  await expect.poll(() => files.readOutput('att_1', 0)).toEqual({ from: 0, text: 'one ☃\n', next: 8, isAll: true })
  output.append('two with sk-aaaaaaaaaaaaaaaa\n')
  await output.close()
  expect(await files.readOutput('att_1', 8)).toEqual({ from: 8, text: 'two with [redacted]\n', next: 28, isAll: true })
  expect(await files.readOutput('att_1', 1_000)).toMatchObject({ text: '', next: 28 })
})

it('returns a long output in parts that together are the whole', async () => {
  const path = join(fresh(), 'output.log')
  const whole = 'ümlaut ☃ 🎉 and plain\n'.repeat(30_000)
  writeFileSync(path, whole)
  let [text, next, parts] = ['', 0, 0]
  for (let isAll = false; !isAll; parts += 1) {
    const part = await readPart(path, next)
    text += part.text
    ;({ next, isAll } = part)
  }
  expect(text === whole).toBe(true)
  expect(parts).toBeGreaterThan(2)
  const end = await readPart(path, null)
  expect(whole.endsWith(end.text)).toBe(true)
  expect(end.text.startsWith('ümlaut')).toBe(true)
  expect(end.from + Buffer.byteLength(end.text)).toBe(Buffer.byteLength(whole))
})

it('waits for the rest of a character, and returns half of one at the end of the file', async () => {
  const path = join(fresh(), 'output.log')
  const snow = Buffer.from('☃')
  writeFileSync(path, Buffer.concat([Buffer.from('a'), snow.subarray(0, 2)]))
  expect(await readPart(path, 0)).toEqual({ from: 0, text: 'a', next: 1, isAll: false })
  expect(await readPart(path, 1)).toMatchObject({ next: 3, isAll: true })
  appendFileSync(path, snow.subarray(2))
  expect(await readPart(path, 1)).toEqual({ from: 1, text: '☃', next: 4, isAll: true })
})

it('marks standard error, and hides a private key that both streams interrupt', async () => {
  const files = createAttemptFiles(fresh())
  await files.writePrompts('att_1', { prompt: 'Do it', systemPrompt: null })
  const output = await files.openOutput('att_1')
  output.append('-----BEGIN PRIVATE KEY-----\n', 'stderr')
  output.append('a line of the program\n')
  output.append('\u001b[32mMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\u001b[0m\n', 'stderr')
  output.append('-----END PRIVATE KEY-----\n', 'stderr')
  output.append('it failed\nin two lines\n', 'stderr')
  await output.close()
  const { text } = await files.readOutput('att_1', 0)
  expect(text).not.toContain('MIIE')
  expect(text).toContain('a line of the program\n')
  expect(text).toMatch(/\[stderr\] it failed\n\[stderr\] in two lines\n$/)
})
