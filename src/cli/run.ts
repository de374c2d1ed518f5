import { CommanderError } from 'commander'

import { type AgencyError, exitCodes } from '../kernel/errors.ts'
import { ApiError } from '../operations/problem.ts'
import { type CliContext, createContext } from './context.ts'
import { buildProgram, UsageError } from './program.ts'
import { widthOf } from './terminal.ts'
import { wrap } from './wrap.ts'

/** Runs one command line. The only error boundary: every refusal becomes one line, a hint and an exit code. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  // `agency events | head` closes the pipe, which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  let context: CliContext | undefined
  try {
    context = createContext(process.env, async (...answer) => (await import('./offline.ts')).completeAnswer(...answer))
    const program = buildProgram(context, (code) => (process.exitCode = code), words[0])
    await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' })
  } catch (error) {
    process.exitCode = report(context === undefined ? error : context.versions.explain(error))
  }
}

function report(error: unknown): number {
  if (error instanceof UsageError) return write(error.message, error.hint, 2)
  // Help and version end with an exception too.
  if (error instanceof CommanderError) return error.exitCode
  if (error instanceof ApiError) return write(error.message, error.problem.hint, error.problem.exit)
  if (isAgencyError(error)) return write(error.message, error.hint, exitCodes[error.code])
  throw error
}

/** Compares names: code that is loaded later is another bundle with a class of its own. */
const isAgencyError = (error: unknown): error is AgencyError => error instanceof Error && error.name === 'AgencyError'

function write(message: string, hint: string | undefined, exit: number): number {
  const text = `error: ${message}\n${hint === undefined ? '' : `  ${hint}\n`}`
  process.stderr.write(wrap(text, widthOf(process.stderr)))
  return exit
}
