import type { Clock } from '../../kernel/clock.ts'
import type { Breach, WorkspacePolicy } from '../port.ts'
import type { DiskUse } from './disk.ts'

export interface DiskOptions {
  readonly clock: Clock
  readonly limits: WorkspacePolicy['limits']
  /** Measures the disk; it may stop at `maxFiles`. */
  readonly measureDisk: (maxFiles: number) => Promise<DiskUse>
  /** Free space where it writes: cheap to read, and shows when its disk use is worth measuring again. */
  readonly free: () => Promise<Free>
  /** Stops the processes while it calls a function, so that they cannot move files past a measurement. */
  readonly hold?: (<Value>(look: () => Promise<Value>) => Promise<Value>) | undefined
}

export interface Free {
  readonly megabytes: number
  readonly files: number
}

interface DiskWatchOptions extends DiskOptions {
  readonly judge: (breach: Breach | null) => boolean
  readonly isOver: () => boolean
}

const firstMs = 100
/** The interval at which free space is read. */
const tickMs = 500
/** The share of the time that measuring may take: at regular intervals, and while free space shrinks. */
const share = 0.05
const hurriedShare = 0.5
const regularMs = 10_000
const heldMs = 1_000
const quickMs = 100
/** The number of files up to which a directory is measured that was not measured before. */
const fewFiles = 2_000

/** Returns the number of files for a disk limit: some 25 for each MB, because a file takes space that is not its own. */
export const maxFilesOf = (maxDiskMb: number): number => Math.max(10_000, 25 * maxDiskMb)

/**
 * Measures disk use at regular intervals, and earlier when free space shrinks. Processes that watch the walk can move a
 * directory to a place where it has been already. So if more space was lost than the limit leaves, and the walk has not
 * found it, they are stopped for another walk; the space may also have been used by somebody else.
 */
export function watchDisk({ clock, limits, measureDisk, free, hold, judge, isOver }: DiskWatchOptions) {
  const maxFiles = maxFilesOf(limits.maxDiskMb)
  // Space and files lost since the last measurement that make another one worthwhile.
  const lost = { megabytes: Math.min(64, limits.maxDiskMb / 8), files: maxFiles / 8 }
  let peakMb = 0
  let last: (Free & { readonly atMs: number; readonly tookMs: number }) | null = null
  let running: Promise<void> | null = null
  const begun = free()
  let first: DiskUse | null = null
  let held = { atMs: 0, tookMs: 0 }
  let cancel = clock.after(firstMs, () => void measureAgain())

  async function measureAgain(): Promise<void> {
    if (isOver()) return
    const now = await free()
    if (isDue(now)) {
      running = measure(now)
      await running
      running = null
    }
    if (!isOver()) cancel = clock.after(tickMs, () => void measureAgain())
  }

  const hasShrunk = (from: Free, { megabytes, files }: Free): boolean =>
    from.megabytes - megabytes >= lost.megabytes || from.files - files >= lost.files

  function isDue(now: Free): boolean {
    if (last === null) return true
    const restedMs = clock.nowMs() - last.atMs
    if (hasShrunk(last, now) && restedMs >= last.tookMs / hurriedShare) return true
    return restedMs >= Math.max(regularMs, last.tookMs / share)
  }

  async function measure(before: Free): Promise<void> {
    const atMs = clock.nowMs()
    const use = await measureDisk(maxFiles)
    first ??= use
    last = { ...before, atMs, tookMs: clock.nowMs() - atMs }
    note(use)
    if (!isOver() && (await mayHide(before))) await measureHeld()
  }

  /** Reports whether the space and the files that were lost since the start would exceed a limit. */
  async function mayHide(now: Free): Promise<boolean> {
    const from = await begun
    const start = first ?? { megabytes: 0, files: 0 }
    return (
      start.megabytes + from.megabytes - now.megabytes > limits.maxDiskMb ||
      start.files + from.files - now.files > maxFiles
    )
  }

  async function measureHeld(): Promise<void> {
    const atMs = clock.nowMs()
    if (hold === undefined || atMs - held.atMs < Math.max(heldMs, held.tookMs / share)) return
    const use = await hold(() => measureDisk(maxFiles))
    held = { atMs, tookMs: clock.nowMs() - atMs }
    note(use)
  }

  function note({ megabytes, files }: DiskUse): void {
    peakMb = Math.max(peakMb, Math.ceil(megabytes))
    judge(over('disk', megabytes, limits.maxDiskMb) ?? over('files', files, maxFiles))
  }

  return {
    /** Resolves to the largest use; null: it was not measured. */
    stop: async (isWatched: boolean): Promise<number | null> => {
      cancel()
      await running
      // The last data written was not measured yet; measure again if that was quick before, or if there is much of it.
      const now = await free()
      const isMuch = hasShrunk(last ?? (await begun), now) || (await mayHide(now))
      if (last !== null || isMuch) {
        if (isMuch || (last?.tookMs ?? 0) < quickMs) note(await measureDisk(maxFiles))
        return peakMb
      }
      const use = isWatched ? await measureDisk(fewFiles) : null
      if (use === null || use.files > fewFiles) return null
      note(use)
      return peakMb
    },
  }
}

export const over = (limit: Breach['limit'], used: number, allowed: number): Breach | null =>
  used > allowed ? { limit, used: Math.ceil(used), allowed } : null
