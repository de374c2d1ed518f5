import { copyFile } from 'node:fs/promises'

export const copyIfThere = (from: string, to: string): Promise<void> =>
  copyFile(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
