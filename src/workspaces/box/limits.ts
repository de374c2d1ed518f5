import type { Clock } from '../../kernel/clock.ts'
import type { Breach, ResourceUse, WorkspacePolicy } from '../port.ts'

export interface WatchOptions {
  readonly clock: Clock
  readonly limits: WorkspacePolicy['limits']
  /** Measures the current resource use; null after the exit. */
  readonly measure: () => Promise<{ processes: number; memoryMb: number } | null>
  readonly measureDisk: () => Promise<number>
  /** Free space where it writes, in MB: cheap to read, and shows when its disk use is worth measuring again. */
  readonly freeMb: () => Promise<number>
  readonly exceeded: (breach: Breach) => void
}

/** Intervals: short at first and near a limit, long while it runs steadily. */
const firstMs = 100
const shortMs = 500
const longMs = 2_000
const steadyAfter = 6
/** The share of the time that measuring disk use may take. */
const diskShare = 0.05
const diskMs = 10_000
const quickMs = 100
/** Data written since the last measurement, in MB, that makes another one worthwhile. */
const remeasureMb = 64

/**
 * Measures repeatedly until it is stopped or a limit is exceeded; a process that starts and exits between two
 * measurements is not seen.
 */
export function watchLimits(options: WatchOptions): { stop(): Promise<ResourceUse | null> } {
  const { clock, limits, measure, measureDisk, freeMb, exceeded } = options
  const peak = { memoryMb: 0, processes: 0, diskMb: 0 }
  let measurements = 0
  let isOver = false
  let disk = { nextMs: 0, freeMb: Infinity, isKnown: false, tookMs: 0 }
  let cancel = clock.after(firstMs, () => void measureAgain())

  async function measureAgain(): Promise<void> {
    const use = await measure()
    if (use === null || isOver) return
    measurements += 1
    peak.processes = Math.max(peak.processes, use.processes)
    peak.memoryMb = Math.max(peak.memoryMb, Math.ceil(use.memoryMb))
    const diskMb = await currentDiskMb()
    if (isOver) return
    const breach =
      over('processes', use.processes, limits.maxProcesses) ??
      over('memory', use.memoryMb, limits.maxMemoryMb) ??
      over('disk', diskMb, limits.maxDiskMb)
    if (breach !== null) {
      isOver = true
      exceeded(breach)
      return
    }
    const isNear = use.processes > limits.maxProcesses / 2 || use.memoryMb > limits.maxMemoryMb / 2
    cancel = clock.after(measurements < steadyAfter || isNear ? shortMs : longMs, () => void measureAgain())
  }

  async function currentDiskMb(): Promise<number> {
    const free = await freeMb()
    if (disk.isKnown && clock.nowMs() < disk.nextMs && disk.freeMb - free < remeasureMb) return peak.diskMb
    const beganMs = clock.nowMs()
    const diskMb = Math.ceil(await measureDisk())
    const tookMs = clock.nowMs() - beganMs
    disk = { nextMs: beganMs + Math.max(diskMs, tookMs / diskShare), freeMb: free, isKnown: true, tookMs }
    peak.diskMb = Math.max(peak.diskMb, diskMb)
    return diskMb
  }

  return {
    stop: async () => {
      isOver = true
      cancel()
      if (measurements === 0) return null
      // The last data written was not measured yet; measure again if that was quick before.
      if (disk.isKnown && disk.tookMs < quickMs) peak.diskMb = Math.max(peak.diskMb, Math.ceil(await measureDisk()))
      return { ...peak }
    },
  }
}

const over = (limit: Breach['limit'], used: number, allowed: number): Breach | null =>
  used > allowed ? { limit, used: Math.ceil(used), allowed } : null
