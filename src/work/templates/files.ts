import { constants } from 'node:fs'
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

export interface TemplateFolder {
  readonly files: readonly TemplateFile[]
  /** A sentence about files that are left out; null: there are none. */
  readonly fault: string | null
}

/** Reads the template files of a folder, in the order of their names; a folder that does not exist has none. */
export async function readTemplateFiles(folder: string): Promise<TemplateFolder> {
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { files: [], fault: code === 'ENOENT' || code === 'ENOTDIR' ? null : `the folder cannot be read: ${code}` }
  }
  const wanted = names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.')).sort()
  const files = await Promise.all(
    wanted.slice(0, mostFiles).map(async (file) => {
      const path = join(folder, file)
      return { name: file.replace(/\.ya?ml$/, ''), path, text: await readText(path) }
    }),
  )
  const fault =
    wanted.length <= mostFiles
      ? null
      : `the folder has ${wanted.length.toLocaleString('en-GB')} templates; only the first ${mostFiles} by name are read`
  return { files, fault }
}

async function readText(path: string): Promise<string | null> {
  // Without waiting: a named pipe would keep one of the few threads of the disk until a program writes to it.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
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
