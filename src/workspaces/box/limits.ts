import type { Breach, ResourceUse } from '../port.ts'
import type { GroupFiles } from './cgroup-files.ts'
import { maxTasksOf, type OwnUse } from './confine.ts'
import { type DiskOptions, over, watchDisk } from './watch-disk.ts'

export interface Use {
  readonly processes: number
  readonly memoryMb: number
  /** Processes and threads. */
  readonly tasks?: number
}

export interface WatchOptions extends DiskOptions {
  /** Measures the current resource use; null after the exit. */
  readonly measure: () => Promise<Use | null>
  /** The kernel's own figures, if it enforces the limits. */
  readonly kernel?: Kernel
  /** Ends the processes. */
  readonly kill: () => void
  readonly exceeded: (breach: Breach) => void
}

export interface Kernel {
  /** Null: not known yet. */
  figures(): GroupFiles | null
  readonly own: OwnUse
}

export interface LimitWatch {
  /** Looks for a breach that only the kernel has seen; called when the processes have exited. */
  settle(): void
  stop(): Promise<ResourceUse | null>
}

/** Intervals: short at first and near a limit, long while it runs steadily. */
const firstMs = 100
const shortMs = 500
const longMs = 2_000
const steadyAfter = 6
/** The kernel's own figures take microseconds to read. */
const kernelMs = 50

/**
 * Measures repeatedly until it is stopped or a limit is exceeded. Processes and memory are judged apart from the disk,
 * because a walk over many files takes long. A process that starts and exits between two measurements is not seen.
 */
export function watchLimits(options: WatchOptions): LimitWatch {
  const { clock, limits, measure, kernel, kill, exceeded } = options
  const peak = { memoryMb: 0, processes: 0 }
  let measurements = 0
  let isOver = false
  let hasEnded = false
  const repeat = (ms: number, step: () => void): (() => void) => clock.after(ms, () => !isOver && step())
  const cancels = { measure: repeat(firstMs, () => void measureAgain()), kernel: (): void => {} }
  if (kernel !== undefined) cancels.kernel = repeat(kernelMs, askAgain)

  function breach(found: Breach | null): boolean {
    if (found === null || isOver) return isOver
    isOver = true
    if (!hasEnded) kill()
    exceeded(found)
    return true
  }

  async function measureAgain(): Promise<void> {
    const use = await measure()
    if (use === null || isOver) return
    measurements += 1
    note(use)
    if (breach(judge(use, limits))) return
    const isNear = use.processes > limits.maxProcesses / 2 || use.memoryMb > limits.maxMemoryMb / 2
    const ms = measurements < steadyAfter || isNear ? shortMs : longMs
    cancels.measure = repeat(ms, () => void measureAgain())
  }

  function askAgain(): void {
    if (!breach(askKernel())) cancels.kernel = repeat(kernelMs, askAgain)
  }

  function note({ processes, memoryMb }: Use): void {
    peak.processes = Math.max(peak.processes, processes)
    peak.memoryMb = Math.max(peak.memoryMb, Math.ceil(memoryMb))
  }

  function askKernel(): Breach | null {
    const figures = kernel?.figures() ?? null
    if (kernel === undefined || figures === null) return null
    const { own } = kernel
    const { maxProcesses, maxMemoryMb } = limits
    const tasks = figures.tasks() - own.processes
    const processes = tasks > peak.processes ? Math.max(0, figures.processes().length - own.processes) : 0
    note({ processes, memoryMb: 0 })
    if (figures.kills() > 0) {
      const used = Math.max(peak.memoryMb, maxMemoryMb + 1)
      return { limit: 'memory', used, allowed: maxMemoryMb }
    }
    if (processes > maxProcesses) return over('processes', processes, maxProcesses)
    if (figures.refusals() === 0) return null
    const isByProcesses = peak.processes > maxProcesses
    return isByProcesses
      ? over('processes', peak.processes, maxProcesses)
      : { limit: 'processes', used: maxTasksOf(limits), allowed: maxProcesses, withThreads: true }
  }

  const disk = watchDisk({ ...options, judge: (found) => breach(found), isOver: () => isOver })

  const settle = (): void => {
    hasEnded = true
    breach(askKernel())
  }

  return {
    settle,
    stop: async () => {
      settle()
      const peakMb = kernel?.figures()?.peakMb() ?? null
      if (kernel !== undefined && peakMb !== null)
        note({ processes: 1, memoryMb: Math.min(Math.max(0, peakMb - kernel.own.memoryMb), limits.maxMemoryMb) })
      const diskMb = await disk.stop(measurements > 0 || peakMb !== null)
      isOver = true
      cancels.measure()
      cancels.kernel()
      return diskMb === null ? null : { ...peak, diskMb }
    },
  }
}

function judge({ processes, memoryMb, tasks = 0 }: Use, limits: WatchOptions['limits']): Breach | null {
  const { maxProcesses, maxMemoryMb } = limits
  const found = over('processes', processes, maxProcesses) ?? over('memory', memoryMb, maxMemoryMb)
  if (found !== null || tasks < maxTasksOf(limits)) return found
  return { limit: 'processes', used: tasks, allowed: maxProcesses, withThreads: true }
}
