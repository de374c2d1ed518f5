import {
  type Stats,
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'

import { entryPath } from '../entries.ts'
import { refusal } from '../kernel/errors.ts'
import { shellWord } from '../kernel/shell-words.ts'
import type { pathCommand } from './commands/path.ts'
import type { Environment } from './daemon-address.ts'
import type { Handler } from './declare.ts'

/** Tells what `agency` starts in the caller's shell; with `--add`, writes a script of that name that starts this copy. */
export const path: Handler<typeof pathCommand> = async (context, { add, json }) => {
  const { env, out } = context
  const program = { node: process.execPath, entry: entryPath('agency') }
  const folder = add === undefined ? null : folderFor(add, env)
  const script = folder === null ? null : writeScript(folder, program)
  const found = findOnPath(env)
  const isOurs = found !== null && startsProgram(found, program.entry)
  const isOnPath = folder !== null && foldersOf(env).includes(folder)
  if (json) {
    context.json({ ...program, found, ours: isOurs, script })
    return 0
  }
  if (script !== null) out(`Written: ${script}`)
  if (isOurs) out(`"agency" is on your PATH: ${found}`)
  else if (folder !== null && !isOnPath) {
    out(`${folder} is not on your PATH yet. Add this line to ~/.profile (zsh: ~/.zshrc), then open a new terminal:`)
    out(`  export PATH=${shellWord(folder)}:"$PATH"`)
  } else if (found === null) {
    out('"agency" is not on your PATH.')
    out(`This copy: ${program.entry}`)
    out(`To put it there: ${shellWord(program.node)} ${shellWord(program.entry)} path --add`)
  } else {
    out(`"agency" on your PATH is another program: ${found}`)
    out(`This copy: ${program.entry}`)
    out('A folder that stands earlier on your PATH decides: agency path --add FOLDER')
  }
  return 0
}

const mark = '# Written by "agency path --add"; it may be deleted.'

/** Writes the script in one step, and over nothing but an earlier script of this command. */
function writeScript(folder: string, { node, entry }: { node: string; entry: string }): string {
  const script = join(folder, 'agency')
  const before = statOf(script)
  if (before !== null && !(before.isFile() && readFileSync(script, 'utf8').includes(mark)))
    throw refusal('conflict', `${script} exists and was not written by this command`, {
      hint: 'Remove it, or name another folder: agency path --add FOLDER',
    })
  try {
    mkdirSync(folder, { recursive: true })
    const draft = `${script}.${process.pid}`
    writeFileSync(draft, `#!/bin/sh\n${mark}\nexec ${shellWord(node)} ${shellWord(entry)} "$@"\n`, { mode: 0o755 })
    renameSync(draft, script)
  } catch (error) {
    throw refusal('invalid_input', `${script} cannot be written: ${(error as Error).message}`, {
      hint: 'Name a folder of your own: agency path --add FOLDER',
    })
  }
  return script
}

function folderFor(add: true | string, env: Environment): string {
  if (add !== true) return resolve(add)
  const home = env['HOME']
  if (home === undefined || !isAbsolute(home))
    throw refusal('invalid_input', 'HOME is not set, so ~/.local/bin is unknown', {
      hint: 'Name the folder: agency path --add FOLDER',
    })
  return join(home, '.local', 'bin')
}

/** Returns the first executable `agency` of the PATH, without the folders that npm adds for the time of one command. */
function findOnPath(env: Environment): string | null {
  for (const folder of foldersOf(env)) {
    const candidate = join(folder, 'agency')
    if (statOf(candidate) !== null && isExecutable(candidate)) return candidate
  }
  return null
}

const foldersOf = (env: Environment): string[] =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .map((folder) => resolve(folder))

/** A link of npm leads to the entry itself, a script of this command names it. */
function startsProgram(found: string, entry: string): boolean {
  try {
    const real = realpathSync(found)
    return (
      real === realpathSync(entry) ||
      (dirname(real) !== dirname(entry) && readFileSync(real, 'utf8').includes(shellWord(entry)))
    )
  } catch {
    return false
  }
}

const statOf = (file: string): Stats | null => lstatSync(file, { throwIfNoEntry: false }) ?? null

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
