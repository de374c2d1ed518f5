import type { Clock } from '../../kernel/clock.ts'
import type { Breach, ResourceUse, WorkspacePolicy } from '../port.ts'

export interface WatchOptions {
  readonly clock: Clock
  readonly limits: WorkspacePolicy['limits']
  /** What it uses now; null once it is gone. */
  readonly look: () => Promise<{ processes: number; memoryMb: number } | null>
  readonly lookAtDisk: () => Promise<number>
  /** How much is left where it writes, in MB: cheap, and tells when it is time to look at its disk use. */
  readonly freeMb: () => Promise<number>
  readonly exceeded: (breach: Breach) => void
}

/** Often at first and when it comes near a limit, seldom while it works quietly. */
const soonMs = 100
const oftenMs = 500
const seldomMs = 2_000
const quietAfter = 6
/** Looking at a disk may take this share of the time. */
const diskShare = 0.05
const diskMs = 10_000
const quickMs = 100
/** Written since the last look, in MB: worth another. */
const muchWrittenMb = 64

/** Looks again and again until it is stopped or a limit is exceeded; a process that appears and ends in between is not seen. */
export function watchLimits(watched: WatchOptions): { stop(): Promise<ResourceUse | null> } {
  const { clock, limits, look, lookAtDisk, freeMb, exceeded } = watched
  const peak = { memoryMb: 0, processes: 0, diskMb: 0 }
  let looks = 0
  let isOver = false
  let disk = { nextMs: 0, freeMb: Infinity, isKnown: false, tookMs: 0 }
  let cancel = clock.after(soonMs, () => void again())

  async function again(): Promise<void> {
    const found = await look()
    if (found === null || isOver) return
    looks += 1
    peak.processes = Math.max(peak.processes, found.processes)
    peak.memoryMb = Math.max(peak.memoryMb, Math.ceil(found.memoryMb))
    const diskMb = await diskIfTime()
    if (isOver) return
    const breach =
      over('processes', found.processes, limits.maxProcesses) ??
      over('memory', found.memoryMb, limits.maxMemoryMb) ??
      over('disk', diskMb, limits.maxDiskMb)
    if (breach !== null) {
      isOver = true
      exceeded(breach)
      return
    }
    const isNear = found.processes > limits.maxProcesses / 2 || found.memoryMb > limits.maxMemoryMb / 2
    cancel = clock.after(looks < quietAfter || isNear ? oftenMs : seldomMs, () => void again())
  }

  async function diskIfTime(): Promise<number> {
    const free = await freeMb()
    if (disk.isKnown && clock.nowMs() < disk.nextMs && disk.freeMb - free < muchWrittenMb) return peak.diskMb
    const beganMs = clock.nowMs()
    const found = Math.ceil(await lookAtDisk())
    const tookMs = clock.nowMs() - beganMs
    disk = { nextMs: beganMs + Math.max(diskMs, tookMs / diskShare), freeMb: free, isKnown: true, tookMs }
    peak.diskMb = Math.max(peak.diskMb, found)
    return found
  }

  return {
    stop: async () => {
      isOver = true
      cancel()
      if (looks === 0) return null
      // What it wrote last is seen by nobody else, where a look costs little.
      if (disk.isKnown && disk.tookMs < quickMs) peak.diskMb = Math.max(peak.diskMb, Math.ceil(await lookAtDisk()))
      return { ...peak }
    },
  }
}

const over = (limit: Breach['limit'], used: number, allowed: number): Breach | null =>
  used > allowed ? { limit, used: Math.ceil(used), allowed } : null
