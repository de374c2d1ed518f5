import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { constants } from 'node:os'

import { pipeTo } from '../pipe.ts'

/**
 * The first process of a box. Nothing but the box's own loopback is there, so it leads the ports that the command is
 * to reach to the sockets of /run/agency; then it starts the command, hands signals on, and ends as the command ends.
 * It starts with every agent: no dependencies, and no more than it must.
 */
interface Plan {
  statusFd: number | null
  /** For the command alone. */
  environment: Record<string, string>
  /** Port in the box, and the socket behind it. */
  doors: [port: number, socket: string][]
}

const [plan, program, ...args] = process.argv.slice(2) as [string, string, ...string[]]
const { statusFd, environment, doors } = JSON.parse(plan) as Plan

const say = (line: string): void => {
  if (statusFd === null) return
  try {
    writeSync(statusFd, `${line}\n`)
  } catch {
    // Nobody listens any more.
  }
}

const open = (port: number, socket: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, (inner) => void pipeTo(inner, { path: socket }))
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server.unref() && undefined))
  })

await Promise.all(doors.map(([port, socket]) => open(port, socket))).catch((error: NodeJS.ErrnoException) => {
  say(`failed ${error.code}`)
  process.exit(126)
})

const child = spawn(program, args, { stdio: 'inherit', detached: true, env: { ...process.env, ...environment } })
child.once('error', (error: NodeJS.ErrnoException) => {
  say(`failed ${error.code ?? error.message}`)
  process.exit(127)
})
child.once('spawn', () => say('began'))
child.once('exit', (code, signal) => {
  say(signal === null ? `exit ${code}` : `signal ${signal}`)
  process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal])
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {
    try {
      process.kill(-(child.pid ?? 0), signal)
    } catch {
      // It ends at this moment.
    }
  })
