import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { createAttemptFiles } from './attempt-files.ts'

let root: string
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'agency-attempts-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('keeps the output of an agent without passwords and keys, even keys of many lines', async () => {
  const files = createAttemptFiles(root)
  await files.writePrompt('att_1', 'Do it')
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
