import { posix } from 'node:path'

import { isDirectoryName, isOurs, namesInside } from './path.ts'
import type { HandedFile } from './port.ts'

/** The bytes of all files that a brief is handed: a sparse file of terabytes costs its maker nothing. */
export const maxHandedBytes = 1024 ** 3

/** Each is named in the row of its attempt. */
export const maxHandedFiles = 5_000

export const refused = ({ folder, path }: HandedFile, why: string) => ({
  refused: `"${path}" of ${folder} cannot be handed over: ${why}`,
})

export const changed = 'it was changed after its verdict'
export const missing = 'it no longer exists'
export const gone = 'its workspace no longer exists'
const leadsOut = 'its name leads outside the folder'
export const notRegular = 'it is a link, or no regular file'
export const tooLarge = (bytes: number, maxBytes: number): string =>
  `with its ${megabytes(bytes)} MB, the files of other briefs exceed the ${megabytes(maxBytes)} MB that one brief may be handed`

export const tooMany = (count: number) => ({
  refused: `other briefs made ${count} files for it, and one brief may be handed ${maxHandedFiles}`,
})

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 2)

/** Returns why a name cannot be that of a handed-over file, or null. */
export const faultOfName = ({ folder, path }: HandedFile): string | null =>
  isDirectoryName(folder) && namesInside(path) && !isOurs(path) && posix.normalize(path) === path ? null : leadsOut
