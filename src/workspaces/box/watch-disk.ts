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
const quickMs = 100
/** The number of files up to which a directory is measured that was not measured before. */
const fewFiles = 2_000

/** Returns the number of files for a disk limit: some 25 for each MB, because a file takes space that is not its own. */
export const maxFilesOf = (maxDiskMb: number): number => Math.max(10_000, 25 * maxDiskMb)

/** Measures disk use at regular intervals, and earlier when free space shrinks. */
export function watchDisk({ clock, limits, measureDisk, free, judge, isOver }: DiskWatchOptions) {
  const maxFiles = maxFilesOf(limits.maxDiskMb)
  // Space and files lost since the last measurement that make another one worthwhile.
  const lost = { megabytes: Math.min(64, limits.maxDiskMb / 8), files: maxFiles / 8 }
  let peakMb = 0
  let last: (Free & { readonly atMs: number; readonly tookMs: number }) | null = null
  let running: Promise<void> | null = null
  const begun = free()
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
    last = { ...before, atMs, tookMs: clock.nowMs() - atMs }
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
      const isMuch = hasShrunk(last ?? (await begun), await free())
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
