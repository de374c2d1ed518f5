/**
 * Reports whether a path can name a file below a workspace. Links are not considered: only the file system knows them.
 */
export function namesInside(path: string): boolean {
  if (path.startsWith('/') || path.includes('\0')) return false
  const parts = path.split('/')
  return !parts.includes('..') && parts.some((part) => part !== '' && part !== '.')
}

/** Accepts a single directory name: ids become directories, so anything that could be a path is rejected. */
export const isPlainName = (name: string): boolean => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(name)

/** Agency's own directory in a workspace; an agent may write only below the outbox. */
export const agencyDirectory = '.agency'
export const outbox = '.agency/outbox'
/** The files of other briefs that a brief is handed. */
export const inputsDirectory = '.agency/inputs'

/** Accepts the name of a directory of inputs, which may have the colons of a brief's key. */
export const isDirectoryName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,199}$/.test(name)

/** Reports whether a path of a workspace names something in Agency's own directory. */
export const isOurs = (path: string): boolean =>
  path.split('/').find((part) => part !== '' && part !== '.') === agencyDirectory

/**
 * Returns the only directory of a mirror that a box may see: its refs name the unmerged branches of other runs, and its
 * settings are the daemon's.
 */
export const sharedObjects = (mirror: string): string => `${mirror}/objects`
