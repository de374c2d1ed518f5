import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { constants } from 'node:os'

import { pipeTo } from '../pipe.ts'

/**
 * The first process of a box. The box has only its own loopback, so init forwards the ports that the command may reach
 * to the sockets of /run/agency; then it starts the command, forwards signals, and exits as the command exits.
 * It starts with every agent: it has no dependencies and does only the necessary.
 */
interface Plan {
  statusFd: number | null
  /** Variables for the command only. */
  environment: Record<string, string>
  /** Port in the box, and its socket. */
  sockets: [port: number, socket: string][]
}

const [plan, program, ...args] = process.argv.slice(2) as [string, string, ...string[]]
const { statusFd, environment, sockets } = JSON.parse(plan) as Plan

const report = (line: string): void => {
  if (statusFd === null) return
  try {
    writeSync(statusFd, `${line}\n`)
  } catch {
    // The reader has closed the pipe.
  }
}

const open = (port: number, socket: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, (inner) => void pipeTo(inner, { path: socket }))
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server.unref() && undefined))
  })

await Promise.all(sockets.map(([port, socket]) => open(port, socket))).catch((error: NodeJS.ErrnoException) => {
  report(`failed ${error.code}`)
  process.exit(126)
})

const child = spawn(program, args, { stdio: 'inherit', detached: true, env: { ...process.env, ...environment } })
child.once('error', (error: NodeJS.ErrnoException) => {
  report(`failed ${error.code ?? error.message}`)
  process.exit(127)
})
child.once('spawn', () => report('began'))
child.once('exit', (code, signal) => {
  report(signal === null ? `exit ${code}` : `signal ${signal}`)
  process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal])
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {
    try {
      process.kill(-(child.pid ?? 0), signal)
    } catch {
      // It is just exiting.
    }
  })
