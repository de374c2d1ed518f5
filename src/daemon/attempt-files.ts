import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createRedactor } from '../secrets/redact.ts'
import { readPart } from './attempt-output.ts'
import type { AttemptFiles } from '../work/attempts/files.ts'

/** Maximum size of the kept output of an attempt: one flooding agent must not fill the disk. */
const keptBytes = 10_000_000

/** Stores `attempts/<id>/prompt.md` and `output.log` below the home. */
export function createAttemptFiles(root: string): AttemptFiles {
  return {
    async writePrompt(attemptId, text) {
      const folder = join(root, attemptId)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, 'prompt.md'), text, { mode: 0o600 })
      return createHash('sha256').update(text).digest('hex')
    },
    async openOutput(attemptId) {
      const stream = createWriteStream(join(root, attemptId, 'output.log'), { flags: 'a', mode: 0o600 })
      let left = keptBytes
      const redact = createRedactor()
      // On a full disk the agent's output is lost, not its work.
      stream.on('error', () => {
        left = 0
      })
      return {
        append(text) {
          if (left <= 0) return
          const kept = redact(text).slice(0, left)
          left -= kept.length
          stream.write(left > 0 ? kept : `${kept}\n[further output is not kept]\n`)
        },
        close: () => new Promise((resolve) => stream.end(() => resolve()).once('error', () => resolve())),
      }
    },
    readOutput: (attemptId, after) => readPart(join(root, attemptId, 'output.log'), after),
  }
}
