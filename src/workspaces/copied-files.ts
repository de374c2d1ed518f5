import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'

import { withInheritedUmask } from '../processes/umask.ts'
import { createLook, readInside } from './files.ts'
import type { Look } from './port.ts'

/**
 * Lists the files of a directory in `list`, each with facts that tell later whether it was touched: nobody without a
 * hand on the clock of the machine can set the time of a file's last change. That takes no look at any content.
 */
export const listFiles = (directory: string, list: string): Promise<void> =>
  runScript(listScript, directory, list).then(() => {})

/**
 * Lists the files that were changed or removed since `list` was made; a file that was written again with the content
 * that it has in the directory `original` is not changed. Nothing is known if there is no such list.
 */
export async function changedFiles(directory: string, list: string, original: string | null): Promise<string[]> {
  const now = `${list}.now`
  try {
    await listFiles(directory, now)
    const records = (await runScript(compareScript, directory, list, now)).split('\0').slice(0, -1)
    const found = { before: [] as Listed[], now: new Map<string, Listed>() }
    for (const record of records) {
      const listed = parse(record)
      if (record.startsWith(second)) found.now.set(listed.path, listed)
      else found.before.push(listed)
    }
    const changed: string[] = []
    const look = createLook()
    for (const before of found.before)
      if (!(await isAlike({ directory, original, look }, before, found.now.get(before.path)))) changed.push(before.path)
    return changed
  } finally {
    await rm(now, { force: true })
  }
}

interface Listed {
  readonly path: string
  /** Its kind, mode, size and target, which a file has again after it was restored. */
  readonly facts: string
  readonly isFile: boolean
}

/** More files than a verifier touches; those beyond them are not looked at. */
const maxRecords = 20_000

async function isAlike(
  { directory, original, look }: { readonly directory: string; readonly original: string | null; readonly look: Look },
  before: Listed,
  now: Listed | undefined,
): Promise<boolean> {
  if (now === undefined || now.facts !== before.facts) return false
  if (!now.isFile) return true
  if (original === null) return false
  const there = await readInside(original, before.path, 0, look)
  return there !== null && (await readInside(directory, before.path, 0, look))?.sha256 === there.sha256
}

/** Reads a path, the time of the last change with the number of the file, and the facts. No path has two slashes. */
function parse(record: string): Listed {
  const [path = '', , facts = ''] = record.slice(record.startsWith(second) ? 1 : 0).split('//')
  return { path, facts, isFile: facts.startsWith('f') }
}

/** Stands before each record of the second list; no path begins with it. */
const second = '/'

const words = (text: string): string[] => text.split(' ')

/** Directories that tools fill by themselves, and files of theirs: no work is delivered in them. */
const written = {
  directories: words(
    '.git .agency node_modules .venv venv .tox .gradle __pycache__ .pytest_cache .mypy_cache .ruff_cache .cache .turbo .next .nyc_output coverage dist build target tmp',
  ),
  files: words('*.pyc *.log *.tsbuildinfo .coverage .eslintcache'),
}

const anyOf = (names: readonly string[]): string => names.map((name) => `-name '${name}'`).join(' -o ')

const listScript = String.raw`
find . -mindepth 1 -type d \( ${anyOf(written.directories)} \) -prune -o \
  \( -type f -o -type l \) ! \( ${anyOf(written.files)} \) -printf '%P//%i %C@//%y %m %s %l\0' | sort -z >"$0"
`

/** Prints the records that only one of the lists has. */
const compareScript = `[ ! -e "$0" ] || comm -z -3 --output-delimiter=${second} "$0" "$1" | head -z -n ${maxRecords}`

/** Runs a script of ours in a directory; a program that is killed by a full pipe has done its part. */
function runScript(script: string, directory: string, ...args: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = withInheritedUmask(() =>
    spawn('/bin/sh', ['-c', script, ...args], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const chunks: Buffer[] = []
  let error = ''
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => (error = error === '' ? chunk.toString('utf8').slice(0, 300) : error))
  child.once('error', reject)
  child.once('close', (exitCode) => {
    if (exitCode === 0) resolve(Buffer.concat(chunks).toString('utf8'))
    else reject(new Error(`the files of ${directory} could not be listed: ${error || `exit code ${exitCode}`}`))
  })
  return promise
}
