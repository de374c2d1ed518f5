import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Version = 1 | 2

/** The resources that the kernel lets a box use. */
export interface GroupLimits {
  readonly memoryMb: number
  /** Processes and threads: the kernel does not tell them apart. */
  readonly tasks: number
}

/** The files of a group by which the kernel is told its limits and tells its figures. */
export interface GroupFiles {
  limit(limits: GroupLimits): void
  /** Processes and threads. */
  tasks(): number
  /** The pids of all processes, those of Agency itself too. */
  processes(): number[]
  /** The largest use of memory until now, without the cache of files that is left; null: this kernel does not know it. */
  peakMb(): number | null
  /** How often the kernel killed a process because the memory of the group, not of the machine, was used up. */
  kills(): number
  /** How often the kernel refused another process or thread. */
  refusals(): number
}

const megabyte = 1024 * 1024

export function groupFiles(version: Version, memory: string, pids: string): GroupFiles {
  const inMemory = (name: string): string => join(memory, name)
  const inPids = (name: string): string => join(pids, name)
  return {
    limit: ({ memoryMb, tasks }) => {
      const bytes = String(memoryMb * megabyte)
      writeFileSync(inMemory(version === 2 ? 'memory.max' : 'memory.limit_in_bytes'), bytes)
      // A kernel without swap has no such file.
      const [swap, swapBytes] = version === 2 ? ['memory.swap.max', '0'] : ['memory.memsw.limit_in_bytes', bytes]
      if (existsSync(inMemory(swap))) writeFileSync(inMemory(swap), swapBytes)
      // Version 1 counts the data that waits in connections apart from memory, and without a limit of its own not at all.
      const connections = inMemory('memory.kmem.tcp.limit_in_bytes')
      if (version === 1 && existsSync(connections)) writeFileSync(connections, String((memoryMb * megabyte) / 4))
      writeFileSync(inPids('pids.max'), String(tasks))
    },
    processes: () => pidsIn(pids),
    tasks: () => number(inPids('pids.current')) ?? 0,
    peakMb: () => {
      const bytes = number(inMemory(version === 2 ? 'memory.peak' : 'memory.max_usage_in_bytes'))
      const cached = field(inMemory('memory.stat'), version === 2 ? 'file' : 'total_cache')
      return bytes === null ? null : Math.max(0, bytes - cached) / megabyte
    },
    kills: () => {
      if (version === 2) {
        const events = inMemory('memory.events')
        return field(events, 'oom') === 0 ? 0 : field(events, 'oom_kill')
      }
      const killed = field(inMemory('memory.oom_control'), 'oom_kill')
      // Newer kernels do not count failures in version 1, but a group that was full has come close to its limit.
      const peak = killed === 0 ? 0 : (number(inMemory('memory.max_usage_in_bytes')) ?? 0)
      return peak < 0.95 * (number(inMemory('memory.limit_in_bytes')) ?? 0) ? 0 : killed
    },
    refusals: () => field(inPids('pids.events'), 'max'),
  }
}

const number = (path: string): number | null => {
  const text = read(path)
  return text === null ? null : Number(text)
}

const field = (path: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(read(path) ?? '')?.[1] ?? 0)

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The group is gone.
    return null
  }
}

export const pidsIn = (directory: string): number[] =>
  (read(join(directory, 'cgroup.procs')) ?? '')
    .split('\n')
    .flatMap((line) => (line === '' || line === '0' ? [] : [Number(line)]))
