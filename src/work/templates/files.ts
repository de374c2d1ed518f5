import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { smallText } from '../../threads/read-texts.ts'

export interface TemplateFile {
  readonly name: string
  readonly path: string
  /** Null where the file is no text of a size that people write. */
  readonly text: string | null
}

/** A person chooses from a list: more files than this are no list any more. */
const mostFiles = 200

/** Reads the template files of a folder, in the order of their names; a folder that does not exist has none. */
export async function readTemplateFiles(folder: string): Promise<TemplateFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
  const wanted = names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.')).sort()
  return Promise.all(
    wanted.slice(0, mostFiles).map(async (file) => {
      const path = join(folder, file)
      return { name: file.replace(/\.ya?ml$/, ''), path, text: await readText(path) }
    }),
  )
}

async function readText(path: string): Promise<string | null> {
  const handle = await open(path).catch(() => null)
  if (handle === null) return null
  try {
    const facts = await handle.stat()
    // A template is read between other requests, so it may be no larger than a text that needs no thread of its own.
    if (!facts.isFile() || facts.size > smallText) return null
    return new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile())
  } catch {
    return null
  } finally {
    await handle.close()
  }
}
