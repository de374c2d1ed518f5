import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

import type { CommitFiles, SetupPlan } from './plan.ts'

/**
 * Names the result of an installation by everything that determines it. Null: it may depend on any file of the commit,
 * and the tree is not known.
 */
export async function keyOf(
  { command, install, environment, inputs, programs }: SetupPlan,
  { files, isBoxed, tree }: { files: CommitFiles; isBoxed: boolean; tree: () => Promise<string | null> },
): Promise<string | null> {
  const hash = createHash('sha256')
  const add = (...words: readonly (string | null)[]): void => void hash.update(JSON.stringify(words)).update('\n')
  // A box shows other programs.
  add('1', command, install.online, JSON.stringify(environment ?? {}), process.arch, String(isBoxed))
  for (const program of programs) add(program, ...(await identityOf(program)))
  if (inputs === null) {
    const id = await tree()
    if (id === null) return null
    add('tree', id)
  } else for (const input of inputs) add(input, await files.read(input))
  return hash.digest('hex')
}

/** Identifies a program by its file: asking it for its version would take longer than most setups need. */
async function identityOf(program: string): Promise<string[]> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    if (directory === '') continue
    const found = await stat(join(directory, program)).catch(() => null)
    if (found?.isFile() === true)
      return [await realpath(join(directory, program)), String(found.size), String(found.mtimeMs)]
  }
  return []
}
