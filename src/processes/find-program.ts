import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the path of the program that a shell with this environment would start, or null. Starts nothing. */
export function findProgram(name: string, env: Readonly<Record<string, string | undefined>>): string | null {
  for (const directory of (env['PATH'] ?? '').split(':')) {
    if (directory === '') continue
    const path = join(directory, name)
    if (isProgram(path)) return path
  }
  return null
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
