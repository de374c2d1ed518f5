import { statSync } from 'node:fs'
import { basename, isAbsolute, resolve } from 'node:path'

import { refusal } from '../../../kernel/errors.ts'
import { programWords } from './arguments.ts'

/**
 * Returns the paths that the boxes of a run show: those of `--readable`, and the script that `--program` names for an
 * interpreter, such as `sh /tmp/list.sh`. Other arguments of a program show nothing, and neither does a plan.
 */
export function readablePaths({
  readable = [],
  program,
}: {
  readonly readable?: readonly string[] | undefined
  readonly program?: string | undefined
}): string[] | undefined {
  const script = program === undefined ? null : scriptIn(programWords(program))
  const paths = [...readable.map(existing), ...(script === null ? [] : [script])]
  return paths.length === 0 ? undefined : [...new Set(paths)]
}

function existing(path: string): string {
  const absolute = resolve(path)
  if (statSync(absolute, { throwIfNoEntry: false }) === undefined)
    throw refusal('invalid_input', `--readable: ${absolute} does not exist`)
  return absolute
}

const shells = /^(ba|da|k|z)?sh$/
const languages = /^(python|node|perl|ruby|php|lua|tsx)[0-9.]*$/
/** Options that take code or a module as the next word, so that it is not a script. */
const takesWord = { shell: /^-[a-z]*[co]$/, language: /^(-[a-z]*[cemrp]|--eval|--print|--require|--import|--loader)$/i }

/** Returns the script of an interpreter if it is a file outside the workspace. */
function scriptIn([program = '', ...words]: readonly string[]): string | null {
  const name = basename(program)
  const kind = shells.test(name) ? 'shell' : languages.test(name) ? 'language' : null
  if (kind === null) return null
  const at = words.findIndex((word) => !word.startsWith('-'))
  const script = words[at]
  if (script === undefined || !isAbsolute(script) || words.slice(0, at).some((word) => takesWord[kind].test(word)))
    return null
  return statSync(script, { throwIfNoEntry: false })?.isFile() === true ? resolve(script) : null
}
