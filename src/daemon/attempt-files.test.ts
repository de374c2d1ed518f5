import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { createAttemptFiles } from './attempt-files.ts'

let root: string
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'agency-attempts-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('keeps what an agent was sent, byte for byte, in files that others cannot read', async () => {
  const files = createAttemptFiles(root)
  const prompt = 'Do it — \u0000 ünïcode\n\n'
  const hashes = await files.writePrompts('att_1', { prompt, systemPrompt: 'You are Ada.' })
  expect(await files.readPrompts('att_1')).toEqual({
    prompt: { text: prompt, sha256: hashes.promptSha256 },
    systemPrompt: { text: 'You are Ada.', sha256: hashes.systemPromptSha256 },
  })
  expect(statSync(join(root, 'att_1/system-prompt.md')).mode & 0o777).toBe(0o600)
  expect(await files.writePrompts('att_2', { prompt, systemPrompt: null })).toEqual({
    promptSha256: hashes.promptSha256,
    systemPromptSha256: null,
  })
  expect(await files.readPrompts('att_2')).toMatchObject({ prompt: { text: prompt }, systemPrompt: null })
  expect(await files.readPrompts('att_3')).toEqual({ prompt: null, systemPrompt: null })
})

it('keeps the output of an agent without passwords and keys, even keys of many lines', async () => {
  const files = createAttemptFiles(root)
  await files.writePrompts('att_1', { prompt: 'Do it', systemPrompt: null })
  const output = await files.openOutput('att_1')
  for (const line of [
    'cat .env id_rsa',
    'DB_PASSWORD=hunter2',
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    'b3BlbnNzaC1rZXktdjEAAAAA',
    '-----END OPENSSH PRIVATE KEY-----',
    'done',
  ])
    output.append(`${line}\n`)
  await output.close()
  expect(readFileSync(join(root, 'att_1/output.log'), 'utf8')).toBe(
    'cat .env id_rsa\nDB_PASSWORD=[redacted]\n[redacted]\ndone\n',
  )
})
