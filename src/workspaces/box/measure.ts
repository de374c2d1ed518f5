import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

import { ownUse } from './confine.ts'
import { type DiskUse, measureDisk } from './disk.ts'
import type { Use } from './limits.ts'
import { namelessUse } from './nameless.ts'
import { processesOf, useOf } from './processes.ts'
import { queuedMb } from './queued.ts'
import type { Free } from './watch-disk.ts'

const megabyte = 1024 * 1024

interface MeasureOptions {
  readonly hasForwarder: boolean
  /** The kernel counts its memory, also the memory that belongs to no process. */
  readonly isCounted: boolean
  readonly maxDescriptors: number
}

/** Measures the processes of a box; null after the exit. */
export async function measureBox(
  pid: number,
  { hasForwarder, isCounted, maxDescriptors }: MeasureOptions,
): Promise<Use | null> {
  const { first, others, forwarder } = processesOf(pid, hasForwarder)
  if (first === null) return null
  // The box is still being created: its root is the machine's own, so its /tmp would be measured.
  if (others.length === 0) return { processes: 0, memoryMb: 0 }
  // Files in /tmp and /dev/shm of a box are in memory too.
  const held = await Promise.all(inMemory(first).map(heldMbOf))
  const { ownMb, sharedMb, tasks } = useOf(others)
  const unnamedMb = isCounted ? 0 : (await namelessUse(others, memoryDevices(first), maxDescriptors)).memoryMb
  const heldMb = held.reduce((sum, each) => sum + each, isCounted ? 0 : await queuedMb(first))
  const forwarderMb = forwarder === null ? 0 : beyondOwn(forwarder)
  return { processes: others.length, memoryMb: ownMb + Math.max(sharedMb, unnamedMb) + heldMb + forwarderMb, tasks }
}

/** Measures what the forwarder has beyond its own: the command has the same user, and decides how much passes through it. */
function beyondOwn(forwarder: number): number {
  const { ownMb, sharedMb } = useOf([forwarder])
  return Math.max(0, ownMb + sharedMb - ownUse(true).memoryMb)
}

/**
 * Measures the directories of a box, and the removed files that its processes keep open. Each descriptor counts like a
 * file, because it can hold one.
 */
export async function measureBoxDisk(pid: number, directories: readonly string[], maxFiles: number): Promise<DiskUse> {
  const { first, others } = processesOf(pid)
  const isEmpty = first === null || others.length === 0
  const nameless = isEmpty ? null : await namelessUse(others, memoryDevices(first), maxFiles)
  const { megabytes, files } = await measureDisk(directories, maxFiles)
  return { megabytes: megabytes + (nameless?.diskMb ?? 0), files: files + (nameless?.descriptors ?? 0) }
}

const inMemory = (first: number): string[] => ['tmp', 'dev/shm', 'run'].map((name) => `/proc/${first}/root/${name}`)

const memoryDevices = (first: number): Set<number> => new Set(inMemory(first).flatMap((path) => deviceOf(path) ?? []))

function deviceOf(path: string): number | null {
  try {
    return statSync(path).dev
  } catch {
    // It has exited.
    return null
  }
}

async function heldMbOf(path: string): Promise<number> {
  const stats = await statfs(path).catch(() => null)
  if (stats === null) return 0
  return ((stats.blocks - stats.bfree) * stats.bsize + (stats.files - stats.ffree) * fileBytes) / megabyte
}

/** The kernel's memory for a file in memory, also an empty one: its inode and its name. */
const fileBytes = 1_024

export async function freeOf(path: string): Promise<Free> {
  const stats = await statfs(path).catch(() => null)
  if (stats === null) return { megabytes: Infinity, files: Infinity }
  return { megabytes: (stats.bavail * stats.bsize) / megabyte, files: stats.ffree }
}
