import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Finds the folder with initdb and postgres, of the newest version installed; Debian keeps it off the PATH. */
export function postgresBinaries(): string | null {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...pathFolders()]
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => isProgram(join(folder, name)))) ?? null
}

/** Finds a Chromium or Chrome that tests can drive; `CHROMIUM` overrides it. */
export function chromium(): string | null {
  const named = process.env['CHROMIUM']
  if (named) return isProgram(named) ? named : null
  return program('chromium', 'chromium-browser', 'google-chrome')
}

/** Finds a file system in memory with enough space for the tests' files and without `noexec`, or returns null. */
export function memoryFolder(): string | null {
  const folder = '/dev/shm'
  try {
    const { type, bavail, bsize } = statfsSync(folder)
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === folder)
    const isInMemory = type === 0x01021994
    const isEnough = Math.min(bavail * bsize, process.availableMemory()) > 6 * 2 ** 30
    accessSync(folder, constants.W_OK)
    return isInMemory && isEnough && !/\bnoexec\b/.test(mount ?? 'noexec') ? folder : null
  } catch {
    return null
  }
}

export function program(...names: string[]): string | null {
  const paths = names.flatMap((name) => pathFolders().map((folder) => join(folder, name)))
  return paths.find(isProgram) ?? null
}

const pathFolders = (): string[] => (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
