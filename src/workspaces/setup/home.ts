import { copyFile, chmod, mkdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'

import { rememberSecrets } from '../../secrets/redact.ts'

/**
 * Creates the HOME of a setup with the files that the operator names, such as registry settings: one of the operator's
 * own HOME keeps its place there. Resolves to the reason if a file cannot be copied, otherwise to null.
 */
export async function makeSetupHome(home: string, files: readonly string[]): Promise<string | null> {
  await mkdir(home, { mode: 0o700 })
  for (const file of files) {
    const target = join(home, placeOf(file))
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await copyFile(file, target)
      await chmod(target, 0o600)
      rememberSecrets(secretsIn(await readFile(target, 'utf8')))
    } catch (error) {
      return `${file}, which "setup" in config.yaml names, cannot be copied (${(error as NodeJS.ErrnoException).code})`
    }
  }
  return null
}

function placeOf(file: string): string {
  const place = relative(homedir(), file)
  return place === '' || place.startsWith('..') ? basename(file) : place
}

/**
 * Returns tokens and passwords of settings such as `//registry.example.com/:_authToken=…`, `https://user:…@host`,
 * `https://…@host`, or `password …` of a .netrc.
 */
const secretsIn = (text: string): string[] =>
  [
    ...text.matchAll(/(?:token|auth|password|secret)\s*[=:]\s*["']?([^\s"']{8,})/gi),
    ...text.matchAll(/:\/\/(?:[^\s/:@]+:)?([^\s/@]{8,})@/g),
    ...text.matchAll(/(?:^|\s)password\s+(?![=:])(\S{8,})(?=\s*$|\s+(?:machine|default|login|account|macdef)\b)/gim),
  ].map(([, secret]) => secret as string)
