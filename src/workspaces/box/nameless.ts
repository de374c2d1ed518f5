import { readFileSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'

import { pause } from '../../kernel/clock.ts'
import { filesOfClosed, type OpenFile } from './closed-processes.ts'
import { threadsOf } from './processes.ts'

/** Files without a name, which no walk over directories finds. */
export interface NamelessUse {
  readonly diskMb: number
  /** Files that exist in memory only (memfd). */
  readonly memoryMb: number
  /** The number of descriptors that were looked at. */
  readonly descriptors: number
}

/** More descriptors than this are looked at with a pause between them, in which the daemon does its other work. */
const atOnce = 500

/**
 * Measures files that were removed while a process has them open or mapped. A file is found by its number, because the
 * kernel shows devices in two ways. Those on `memoryDevices`, such as /tmp of a box, are counted with their file system.
 * It stops at `maxDescriptors`, so that a huge number of them cannot make it take arbitrarily long.
 */
export async function namelessUse(
  pids: readonly number[],
  memoryDevices: ReadonlySet<number>,
  maxDescriptors: number,
): Promise<NamelessUse> {
  const seen = new Set<number>()
  let [disk, memory, descriptors] = [0, 0, 0]
  const count = ({ inode, links, blocks, device, isMemory }: OpenFile): void => {
    if (links > 0 || seen.has(inode)) return
    seen.add(inode)
    if (memoryDevices.has(device)) return
    if (isMemory()) memory += blocks * 512
    else disk += blocks * 512
  }
  const closed: number[] = []
  for (const pid of pids) {
    const listed = await listDescriptors(pid)
    if (listed === null) closed.push(pid)
    for (const path of listed ?? []) {
      if (descriptors > maxDescriptors) break
      descriptors += 1
      if (descriptors % atOnce === 0) await pause(0)
      const stats = statsOf(path)
      if (stats?.isFile() === true) count(openFile(path, stats))
    }
  }
  for (const file of closed.length === 0 ? [] : await filesOfClosed(closed)) {
    descriptors += 1
    count(file)
  }
  const mapped = new Map<number, number>()
  for (const pid of pids)
    for (const { inode, device, bytes } of mappedFiles(pid))
      if (!seen.has(inode) && !memoryDevices.has(device)) mapped.set(inode, Math.max(bytes, mapped.get(inode) ?? 0))
  for (const bytes of mapped.values()) disk += bytes
  const megabyte = 1024 * 1024
  return { diskMb: disk / megabyte, memoryMb: memory / megabyte, descriptors }
}

const openFile = (path: string, { ino, nlink, blocks, dev }: Stats): OpenFile => ({
  inode: ino,
  links: nlink,
  blocks,
  device: dev,
  isMemory: () => readOrNull(() => readlinkSync(path))?.startsWith('/memfd:') ?? false,
})

/**
 * Resolves to the descriptors of a process, or null if this user may not list them. All threads of a process share them:
 * the filter refuses a table of its own to a thread. If the first thread has exited, another one still shows them.
 */
async function listDescriptors(pid: number): Promise<string[] | null> {
  const own = await namesIn(`/proc/${pid}/fd`)
  if (own === null || own.length > 0) return own
  for (const thread of threadsOf(pid)) {
    const names = await namesIn(`/proc/${pid}/task/${thread}/fd`)
    if (names === null || names.length > 0) return names
  }
  return []
}

const namesIn = (directory: string): Promise<string[] | null> =>
  readdir(directory).then(
    (names) => names.map((name) => `${directory}/${name}`),
    (error: NodeJS.ErrnoException) => (error.code === 'EACCES' ? null : []),
  )

/** Returns the removed files that a process has mapped, with the number of bytes up to the last mapped one. */
function mappedFiles(pid: number): { inode: number; device: number; bytes: number }[] {
  const text = readMaps(pid)
  if (!text.includes('(deleted)')) return []
  return text.split('\n').flatMap((line) => {
    const found = /^(\w+)-(\w+) \S+ (\w+) (\w+):(\w+) (\d+) +(.*) \(deleted\)$/.exec(line)
    if (found === null) return []
    const [, from = '', to = '', offset = '', major = '', minor = '', inode = '', path = ''] = found
    // Memory that is shared without a file, and memory of System V: resident pages count with the process.
    if (/^\/(memfd:|dev\/zero$|SYSV)/.test(path)) return []
    const device = deviceOf(hex(major), hex(minor))
    return [{ inode: Number(inode), device, bytes: hex(offset) + hex(to) - hex(from) }]
  })
}

/** Returns the memory map of a process; all of its threads have the same, but one that has exited shows none. */
function readMaps(pid: number): string {
  const own = readOrNull(() => readFileSync(`/proc/${pid}/maps`, 'latin1')) ?? ''
  if (own !== '') return own
  const texts = threadsOf(pid).map((each) => readOrNull(() => readFileSync(`/proc/${pid}/task/${each}/maps`, 'latin1')))
  return texts.find((text) => text !== null && text !== '') ?? ''
}

/** Returns the number of a device as `stat` shows it. */
const deviceOf = (major: number, minor: number): number =>
  (minor & 0xff) + (major & 0xfff) * 0x100 + (minor >> 8) * 0x10_0000

const hex = (digits: string): number => Number.parseInt(digits, 16)

const statsOf = (path: string): Stats | null => readOrNull(() => statSync(path))

/** A process may exit at any time. */
function readOrNull<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}
