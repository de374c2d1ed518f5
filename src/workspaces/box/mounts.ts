import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'

export interface Mount {
  readonly device: string
  /** The directory of the file system that is mounted. */
  readonly root: string
  readonly path: string
  readonly type: string
  readonly options: readonly string[]
}

/** Reads the text of /proc/self/mountinfo: optional fields of a line end with a dash. */
export const readMounts = (text: string): Mount[] =>
  text.split('\n').flatMap((line) => {
    const fields = line.split(' ').map(unescape)
    const [, , device, root, path] = fields
    if (device === undefined || root === undefined || path === undefined) return []
    const [type = '', , options = ''] = fields.slice(fields.indexOf('-') + 1)
    return [{ device, root, path, type, options: options.split(',') }]
  })

/** The kernel writes spaces and similar characters as octal numbers. */
const unescape = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

export const mountsHere = (): Mount[] => readMounts(readFileSync('/proc/self/mountinfo', 'latin1'))

export const isWithin = (path: string, place: string): boolean =>
  path === place || path.startsWith(place === sep ? sep : place + sep)

/**
 * Returns every path at which this machine shows a directory, or a part of it. A link gives it a second name, and so does
 * a mount of a directory above, in or below it, as with a /home that is really /data/home.
 */
export function namesOf(path: string, mounts: readonly Mount[]): string[] {
  const real = existsSync(path) ? realpathSync(path) : path
  const mount = mounts
    .filter((each) => isWithin(real, each.path))
    // Of two mounts at one path, the later one is seen.
    .reduce<Mount | null>((found, each) => (each.path.length >= (found?.path.length ?? 0) ? each : found), null)
  if (mount === null) return [...new Set([path, real])]
  const inside = moved(real, mount.path, mount.root)
  const names = mounts
    .filter(({ device }) => device === mount.device)
    .flatMap((each) => {
      if (isWithin(inside, each.root)) return [moved(inside, each.root, each.path)]
      return isWithin(each.root, inside) ? [each.path] : []
    })
  return [...new Set([path, real, ...names])]
}

/** Returns the path that a path below one directory has below another. */
export const moved = (path: string, from: string, to: string): string =>
  join(to, path.slice(from === sep ? 0 : from.length))
