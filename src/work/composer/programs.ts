import { isAbsolute, join } from 'node:path'

import { shellWords } from '../../kernel/shell-words.ts'
import { findProgram, isProgram } from '../../processes/find-program.ts'
import type { CommandCheck } from './contract.ts'

/**
 * Looks for the program that a shell command starts first. A missing one is no reason to refuse a run, because a setup
 * may install it; the command itself is never started here.
 */
export function checkCommand(
  run: string,
  { env, root }: { env: Readonly<Record<string, string | undefined>>; root: string | null },
): CommandCheck {
  const program = programOf(run)
  if (program === null) return { run, program, found: null }
  if (!program.includes('/')) return { run, program, found: findProgram(program, env) !== null }
  if (isAbsolute(program)) return { run, program, found: isProgram(program) }
  return { run, program, found: root === null ? null : isProgram(join(root, program)) }
}

/** Returns the first word that names a program; null if the command starts with a word of the shell. */
function programOf(run: string): string | null {
  const parsed = shellWords(run)
  if ('open' in parsed) return null
  const word = parsed.words.find((each) => !/^[A-Za-z_]\w*=/.test(each))
  // Expansions and several commands in one word are for the shell to read.
  if (word === undefined || ofShell.has(word) || !/^[\w./+@-]+$/.test(word)) return null
  return word
}

const ofShell = new Set(
  '! . : [ [[ ( { alias bg break case cd command continue echo eval exec exit export false fg for function getopts hash if local printf pwd read readonly return select set shift source test time times trap true type ulimit umask unalias unset until wait while'.split(
    ' ',
  ),
)
