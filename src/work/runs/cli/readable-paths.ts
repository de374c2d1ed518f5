import { statSync } from 'node:fs'
import { resolve } from 'node:path'

import { refusal } from '../../../kernel/errors.ts'
import { scriptOf } from '../../../kernel/program-script.ts'
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

/** Returns the script of an interpreter if it is a file outside the workspace. */
export function scriptIn(words: readonly string[]): string | null {
  const script = scriptOf(words)
  return script !== null && statSync(script, { throwIfNoEntry: false })?.isFile() === true ? resolve(script) : null
}
