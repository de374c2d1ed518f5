import { parseArgs } from 'node:util'

import { createTerminal } from '../cli/terminal.ts'
import { systemClock } from '../kernel/clock.ts'
import { AgencyError, exitCodes, refusal } from '../kernel/errors.ts'
import { operatorPersona } from '../kernel/ids.ts'
import { closeNewFiles } from '../processes/umask.ts'
import { followDemo } from './foreground.ts'
import { startDaemon } from './start.ts'
import { createLastBoundary } from './unhandled.ts'

closeNewFiles()

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string' },
    foreground: { type: 'boolean' },
    demo: { type: 'boolean' },
    'no-seed': { type: 'boolean' },
    // The daemon of "agency up" works in its home, and learns here where the command was typed.
    'started-in': { type: 'string' },
  },
})

const lastBoundary = createLastBoundary(systemClock, (code) => process.exit(code))
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => void lastBoundary.handle(error))

try {
  const isEmpty = flags['no-seed'] === true
  const isDemo = flags.demo === true
  if (isEmpty && isDemo)
    throw refusal('invalid_input', '--demo and --no-seed exclude each other: the demonstration needs an organisation', {
      hint: 'Use only one of the two.',
    })
  const begin = isEmpty ? 'empty' : isDemo ? 'reference' : 'seeded'
  const { out } = createTerminal(process.env)
  const print = flags.foreground === true ? out : undefined
  const startedIn = flags['started-in'] ?? process.cwd()
  const daemon = await startDaemon({ env: process.env, flags: { port: flags.port }, begin, print, startedIn })
  lastBoundary.set(daemon)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void daemon.stop())
  const operator = { kind: 'operator', personaId: operatorPersona } as const
  const demo = isDemo ? await daemon.demos.first(operator) : null
  if (flags.foreground === true) {
    out(`Agency is up: ${daemon.createLink(demo === null ? '/' : `/runs/${demo.id}`).url}`)
    if (demo !== null) void followDemo(daemon, demo)
  }
  const reason = await daemon.stopped
  if (reason !== null)
    throw refusal('home_owned', reason, {
      hint: 'Use the daemon of the other home, or give this one a database of its own.',
    })
  process.exit(0)
} catch (error) {
  // The one line that "agency up" shows; a bug is logged with its stack.
  if (error instanceof AgencyError && error.code !== 'bug') {
    console.error(`error: ${error.message}${error.hint === undefined ? '' : `\n  ${error.hint}`}`)
    process.exit(exitCodes[error.code])
  }
  console.error(error)
  process.exit(1)
}
