import { createServer } from 'node:net'

import { pipeTo } from '../pipe.ts'

/**
 * Forwards the ports that the command may reach to the sockets of /run/agency, because the box has only its own
 * loopback. Init has opened the ports already and passes each as "<descriptor> <socket>". It starts with every agent: it
 * has no dependencies and does only the necessary.
 */
// Programs such as `pkill node` mean processes of the agent.
process.title = 'forward'
for (const each of process.argv.slice(2)) {
  const [, fd, path] = /^(\d+) (.+)$/s.exec(each) as unknown as [string, string, string]
  createServer({ allowHalfOpen: true }, (inner) => void pipeTo(inner, { path })).listen({ fd: Number(fd) })
}
// The command may end a process of its own with these; the forwarder ends with the box.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {})
