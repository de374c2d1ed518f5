import { CommanderError } from 'commander'

import { type AgencyError, exitCodes } from '../kernel/errors.ts'
import { ApiError } from '../operations/problem.ts'
import { type CliContext, createContext } from './context.ts'
import type { Environment } from './daemon-address.ts'
import { buildProgram, UsageError } from './program.ts'
import { widthOf } from './terminal.ts'
import { wrap } from './wrap.ts'

/** Runs one command line. The only error boundary: every refusal becomes one line, a hint and an exit code. */
export async function runCommandLine(given: readonly string[]): Promise<void> {
  // `agency events | head` closes the pipe, which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  let context: CliContext | undefined
  try {
    context = createContext(process.env, async (...answer) => (await import('./offline.ts')).completeAnswer(...answer))
    const words = given.length === 0 ? alone(process.env) : given
    const program = buildProgram(context, (code) => (process.exitCode = code), words[0])
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    process.exitCode = report(context === undefined ? error : context.versions.explain(error))
  }
}

/** "agency" alone: the overview is for the operator, so that an agent gets the help. */
const alone = (env: Environment): string[] => (env['AGENCY_TOKEN'] ? ['--help'] : ['overview'])

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
