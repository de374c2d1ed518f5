import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Printed {
  stdout: string
  stderr: string
}

/** The output of an execution's agent, by stream: `attempts/<id>/stdout.txt` and `stderr.txt`. */
export interface PrintedFiles {
  save(attemptId: string, printed: Printed): Promise<void>
  read(attemptId: string): Promise<Printed>
}

export const createPrintedFiles = (root: string): PrintedFiles => ({
  async save(attemptId, { stdout, stderr }) {
    const folder = join(root, attemptId)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(join(folder, 'stdout.txt'), stdout, { mode: 0o600 })
    await writeFile(join(folder, 'stderr.txt'), stderr, { mode: 0o600 })
  },
  async read(attemptId) {
    const text = (name: string): Promise<string> => readFile(join(root, attemptId, name), 'utf8').catch(() => '')
    return { stdout: await text('stdout.txt'), stderr: await text('stderr.txt') }
  },
})

const maxKept = 200_000

/** Keeps the end of a text that may be long. */
export function createTail(): { add(line: string): void; text(): string } {
  let text = ''
  return {
    add(line) {
      text += `${line}\n`
      if (text.length > 2 * maxKept) text = text.slice(-maxKept)
    },
    text: () => text.slice(-maxKept),
  }
}
