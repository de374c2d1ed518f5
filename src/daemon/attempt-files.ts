import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createRedactor } from '../secrets/redact.ts'
import { readPart } from './attempt-output.ts'
import type { AttemptFiles, StoredPrompt } from '../work/attempts/files.ts'

/** Maximum size of the kept output of an attempt: one flooding agent must not fill the disk. */
const keptBytes = 10_000_000

const promptFile = 'prompt.md'
const systemPromptFile = 'system-prompt.md'

/** Stores `attempts/<id>/prompt.md`, `system-prompt.md` and `output.log` below the home. */
export function createAttemptFiles(root: string): AttemptFiles {
  return {
    async writePrompts(attemptId, { prompt, systemPrompt }) {
      const folder = join(root, attemptId)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return {
        promptSha256: await write(join(folder, promptFile), prompt),
        systemPromptSha256: systemPrompt === null ? null : await write(join(folder, systemPromptFile), systemPrompt),
      }
    },
    readPrompts: async (attemptId) => ({
      prompt: await read(join(root, attemptId, promptFile)),
      systemPrompt: await read(join(root, attemptId, systemPromptFile)),
    }),
    async openOutput(attemptId) {
      const stream = createWriteStream(join(root, attemptId, 'output.log'), { flags: 'a', mode: 0o600 })
      let left = keptBytes
      // A private key is a secret of many lines, between which those of the other stream may arrive.
      const redact = { output: createRedactor(), stderr: createRedactor() }
      // On a full disk the agent's output is lost, not its work.
      stream.on('error', () => {
        left = 0
      })
      return {
        append(text, from) {
          if (left <= 0) return
          const clean = from === 'stderr' ? marked(redact.stderr(text)) : redact.output(text)
          const kept = clean.slice(0, left)
          left -= kept.length
          stream.write(left > 0 ? kept : `${kept}\n[further output is not kept]\n`)
        },
        close: () => new Promise((resolve) => stream.end(() => resolve()).once('error', () => resolve())),
      }
    },
    readOutput: (attemptId, after) => readPart(join(root, attemptId, 'output.log'), after),
  }
}

/** Marks the lines of standard error. */
const marked = (text: string): string => text.replace(/^(?=[^])/gm, '[stderr] ')

async function write(path: string, text: string): Promise<string> {
  await writeFile(path, text, { mode: 0o600 })
  return sha256Of(text)
}

async function read(path: string): Promise<StoredPrompt | null> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return bytes === null ? null : { text: bytes.toString('utf8'), sha256: sha256Of(bytes) }
}

const sha256Of = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')
