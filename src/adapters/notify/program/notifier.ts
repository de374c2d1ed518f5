import { type ChildProcess, spawn } from 'node:child_process'

import { killGroup } from '../../../processes/kill-group.ts'
import { type SettingsOf, notifierName } from '../contract.ts'
import { createNotifier, type Environment } from '../notifier.ts'
import type { Notifier } from '../port.ts'
import { jsonText } from '../text.ts'
import { withInheritedUmask } from '../../../processes/umask.ts'

/** Enough to see the reason of a failure. */
const maxErrorBytes = 1_000

/** Runs any program: it gets the message as JSON on its standard input, and exit code 0 means accepted. */
export function createProgramNotifier(settings: SettingsOf<'program'>, environment: Environment): Notifier {
  return createNotifier(notifierName(settings), environment, async ({ message, signal, reveal }) => {
    const [program = '', ...args] = settings.command
    for (const value of [...args, ...settings.pass.map((name) => environment[name] ?? '')])
      if (value.length >= 6) reveal(value)
    const child = await startProgram(program, args, environmentOf(settings.pass, environment))
    const errorOutput = readErrorOutput(child)
    const end = (): void => void killGroup(child.pid)
    signal.addEventListener('abort', end)
    try {
      if (signal.aborted) end()
      child.stdin?.end(jsonText(message))
      const { exitCode, killedBy } = await exitOf(child)
      if (exitCode === 0) return
      const output = errorOutput()
      const how = killedBy === null ? `exited with ${exitCode}` : `was killed by ${killedBy}`
      throw new Error(`"${program}" ${how}${output === '' ? '' : `: ${output}`}`)
    } finally {
      signal.removeEventListener('abort', end)
      // Kills every process that the program started and left behind.
      end()
      child.stderr?.destroy()
    }
  })
}

/** Passes only the variables that every program needs, and those that the settings name. */
function environmentOf(pass: readonly string[], environment: Environment): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'TMPDIR', ...pass]
  const variables = names.flatMap((name) =>
    environment[name] === undefined ? [] : [[name, environment[name]] as const],
  )
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', ...Object.fromEntries(variables) }
}

function startProgram(program: string, args: readonly string[], env: Record<string, string>): Promise<ChildProcess> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>()
  // A process group of its own, so that it can be killed with everything it starts.
  const child = withInheritedUmask(() =>
    spawn(program, args, { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'pipe'] }),
  )
  child.once('error', (error: NodeJS.ErrnoException) => reject(startError(program, error)))
  child.once('spawn', () => resolve(child))
  // The program need not read its input.
  child.stdin.on('error', () => {})
  return promise
}

function startError(program: string, error: NodeJS.ErrnoException): Error {
  const why = { ENOENT: 'no such program', EACCES: 'it is not executable' }[error.code ?? ''] ?? error.message
  return new Error(`cannot start "${program}": ${why}`, { cause: error })
}

const exitOf = (child: ChildProcess): Promise<{ exitCode: number | null; killedBy: string | null }> =>
  new Promise((resolve) => child.once('exit', (exitCode, killedBy) => resolve({ exitCode, killedBy })))

function readErrorOutput(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < maxErrorBytes) text += chunk.slice(0, maxErrorBytes)
  })
  return () => text.trim()
}
