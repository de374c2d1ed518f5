import { type ChildProcess, spawn } from 'node:child_process'

import { killGroup } from '../../../processes/kill-group.ts'
import { type SettingsOf, notifierName } from '../contract.ts'
import { createNotifier, type Environment } from '../notifier.ts'
import type { Notifier } from '../port.ts'
import { jsonText } from '../text.ts'

/** Enough to see why it failed. */
const maxComplaintBytes = 1_000

/** Any program: the message comes as JSON on its standard input, exit code 0 says that it was taken. */
export function createProgramNotifier(settings: SettingsOf<'program'>, environment: Environment): Notifier {
  return createNotifier(notifierName(settings), environment, async ({ message, signal, reveal }) => {
    const [program = '', ...args] = settings.command
    for (const value of [...args, ...settings.pass.map((name) => environment[name] ?? '')])
      if (value.length >= 6) reveal(value)
    const child = await started(program, args, environmentOf(settings.pass, environment))
    const complaint = beginningOf(child)
    const end = (): void => void killGroup(child.pid)
    signal.addEventListener('abort', end)
    try {
      if (signal.aborted) end()
      child.stdin?.end(jsonText(message))
      const { exitCode, killedBy } = await exitOf(child)
      if (exitCode === 0) return
      const said = complaint()
      const how = killedBy === null ? `exited with ${exitCode}` : `was killed by ${killedBy}`
      throw new Error(`"${program}" ${how}${said === '' ? '' : `: ${said}`}`)
    } finally {
      signal.removeEventListener('abort', end)
      // It had its time; nothing that it started stays behind.
      end()
      child.stderr?.destroy()
    }
  })
}

/** Nothing of the daemon's own environment but what every program needs, and what the settings name. */
function environmentOf(pass: readonly string[], environment: Environment): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'TMPDIR', ...pass]
  const given = names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', ...Object.fromEntries(given) }
}

function started(program: string, args: readonly string[], env: Record<string, string>): Promise<ChildProcess> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>()
  // A group of its own, so that it can be ended with everything it starts.
  const child = spawn(program, args, { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'pipe'] })
  child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(program, error)))
  child.once('spawn', () => resolve(child))
  // It need not read its input.
  child.stdin.on('error', () => {})
  return promise
}

function notStarted(program: string, error: NodeJS.ErrnoException): Error {
  const why = { ENOENT: 'no such program', EACCES: 'it is not executable' }[error.code ?? ''] ?? error.message
  return new Error(`cannot start "${program}": ${why}`, { cause: error })
}

const exitOf = (child: ChildProcess): Promise<{ exitCode: number | null; killedBy: string | null }> =>
  new Promise((resolve) => child.once('exit', (exitCode, killedBy) => resolve({ exitCode, killedBy })))

function beginningOf(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < maxComplaintBytes) text += chunk.slice(0, maxComplaintBytes)
  })
  return () => text.trim()
}
