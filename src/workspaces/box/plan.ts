import { entryPath } from '../../entries.ts'
import type { ProcessSpec } from '../port.ts'
import type { Machine } from './call-numbers.ts'

export interface Plan {
  readonly machine: Machine
  readonly secret: string
  /** The number of processes and threads in the box at which the kernel refuses another one. */
  readonly maxTasks: number
  /** Ports in the box, each followed by the path of its socket. */
  readonly ports: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly command: ProcessSpec['command']
}

/**
 * Returns the plan for `init/init.pl`: strings with a zero byte between them, and before each list its length. It is
 * neither among init's arguments nor in its environment, which the command, or other users of the machine, could read.
 */
export function planOf({ machine, secret, maxTasks, ports, environment, command }: Plan): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  const parts = [
    machine,
    secret,
    String(maxTasks),
    ...list(ports),
    // SIGUSR1 of the command, which has the same user, would open a debugger in it.
    ...list([process.execPath, '--disable-sigusr1', entryPath('box-forward')]),
    ...list(variables),
    ...list(command),
  ]
  if (parts.some((part) => part.includes('\0')))
    throw Object.assign(new Error('a command cannot contain a zero byte'), { code: 'EINVAL' })
  return parts.join('\0')
}

const list = (items: readonly string[]): string[] => [String(items.length), ...items]
