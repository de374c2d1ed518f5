import { readdir } from 'node:fs/promises'

import { openInside } from '../../workspaces/files.ts'
import type { ProjectFiles } from './suggest-proofs.ts'

/** Larger than any file that people write to describe a project. */
const maxFileBytes = 256 * 1024
const maxNames = 5_000

/** Reads the files at the top of a folder; a link that leads out of it is not followed. */
export async function readProject(root: string): Promise<ProjectFiles> {
  const names = new Set((await readdir(root).catch(() => [])).slice(0, maxNames))
  return { names, read: async (name) => (names.has(name) ? readSmall(root, name) : null) }
}

async function readSmall(root: string, name: string): Promise<string | null> {
  const handle = await openInside(root, name)
  if (handle === null) return null
  try {
    if ((await handle.stat()).size > maxFileBytes) return null
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxFileBytes), 0, maxFileBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
