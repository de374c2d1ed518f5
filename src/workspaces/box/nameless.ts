import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs'

/** Files without a name, which no walk over directories finds. */
export interface NamelessUse {
  readonly diskMb: number
  /** Files that exist in memory only (memfd). */
  readonly memoryMb: number
}

/** More descriptors than this are not looked at in one measurement. */
const maxDescriptors = 20_000

/**
 * Measures files that were removed while a process has them open or mapped. A file is found by its number, because the
 * kernel shows devices in two ways. Those on `memoryDevices`, such as /tmp of a box, are counted with their file system.
 */
export function namelessUse(pids: readonly number[], memoryDevices: ReadonlySet<number>): NamelessUse {
  const seen = new Set<number>()
  let [disk, memory, left] = [0, 0, maxDescriptors]
  for (const pid of pids) {
    const names = listNumbers(`/proc/${pid}/fd`).slice(0, Math.max(0, left))
    left -= names.length
    for (const name of names) {
      const stats = statsOf(`/proc/${pid}/fd/${name}`)
      if (stats === null || !stats.isFile() || stats.nlink > 0 || seen.has(stats.ino)) continue
      seen.add(stats.ino)
      if (memoryDevices.has(stats.dev)) continue
      if (isMemory(`/proc/${pid}/fd/${name}`)) memory += stats.blocks * 512
      else disk += stats.blocks * 512
    }
  }
  const mapped = new Map<number, number>()
  for (const pid of pids)
    for (const { inode, bytes } of mappedFiles(pid))
      if (!seen.has(inode)) mapped.set(inode, Math.max(bytes, mapped.get(inode) ?? 0))
  for (const bytes of mapped.values()) disk += bytes
  const megabyte = 1024 * 1024
  return { diskMb: disk / megabyte, memoryMb: memory / megabyte }
}

const isMemory = (descriptor: string): boolean =>
  readOrNull(() => readlinkSync(descriptor))?.startsWith('/memfd:') ?? false

/** Returns the removed files that a process has mapped, with the number of bytes up to the last mapped one. */
function mappedFiles(pid: number): { inode: number; bytes: number }[] {
  const text = readOrNull(() => readFileSync(`/proc/${pid}/maps`, 'latin1')) ?? ''
  if (!text.includes('(deleted)')) return []
  return text.split('\n').flatMap((line) => {
    const found = /^(\w+)-(\w+) \S+ (\w+) \S+ (\d+) +(.*) \(deleted\)$/.exec(line)
    if (found === null) return []
    const [, from = '', to = '', offset = '', inode = '', path = ''] = found
    // Memory that is shared without a file, and memory of System V: resident pages count with the process.
    if (/^\/(memfd:|dev\/zero$|SYSV|dev\/shm\/|tmp\/)/.test(path)) return []
    return [{ inode: Number(inode), bytes: hex(offset) + hex(to) - hex(from) }]
  })
}

const hex = (digits: string): number => Number.parseInt(digits, 16)

const listNumbers = (directory: string): string[] => readOrNull(() => readdirSync(directory)) ?? []

const statsOf = (path: string): Stats | null => readOrNull(() => statSync(path))

/** A process may exit at any time. */
function readOrNull<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}
