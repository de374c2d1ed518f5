import type { Clock } from '../kernel/clock.ts'
import { shorten } from '../kernel/text.ts'
import { runInWorker } from '../threads/run-in-worker.ts'

/** A file, or a piece of one. */
export interface SourceText {
  readonly path: string
  /** The line of the file that the text begins with; 1 unless said. */
  readonly line?: number
  readonly text: string
}

export interface Finding {
  /** What it looks like: `private-key`, `password`, `aws`, `github`, …; or `not_scanned`. */
  readonly rule: string
  readonly path: string
  readonly line: number
  /** The line as far as it can be shown: never the secret. */
  readonly shown: string
}

export interface ScanLimits {
  readonly clock: Clock
  readonly timeoutMs?: number
  readonly maxPartLength?: number
  readonly maxTotalLength?: number
}

/**
 * What looks like a secret in texts that somebody else wrote. What could not be looked at (too long, too slow) is a
 * finding too: whoever hides a secret behind a flood is asked about the flood.
 */
export async function scanForSecrets(parts: readonly SourceText[], limits: ScanLimits): Promise<Finding[]> {
  const { clock, timeoutMs = 20_000 } = limits
  const { scanned, left } = fitting(parts, limits)
  if (scanned.length === 0) return left
  const result = await runInWorker<Finding[]>('secret-scan', scanned, { clock, timeoutMs, maxMemoryMb: 512 })
  if ('value' in result) return [...result.value, ...left]
  return [...scanned.slice(0, 20).map((part) => notScanned(part, result.error)), ...left]
}

function fitting(
  parts: readonly SourceText[],
  { maxPartLength = 2_000_000, maxTotalLength = 20_000_000 }: ScanLimits,
): { scanned: SourceText[]; left: Finding[] } {
  const scanned: SourceText[] = []
  const left: Finding[] = []
  let room = maxTotalLength
  for (const part of parts) {
    const text = part.text.slice(0, Math.min(maxPartLength, room))
    room -= text.length
    if (text !== '') scanned.push({ ...part, text })
    if (text.length < part.text.length)
      left.push(notScanned(part, `only the first ${text.length} of ${part.text.length} characters were looked at`))
  }
  return { scanned, left: left.slice(0, 50) }
}

const notScanned = ({ path, line = 1 }: SourceText, why: string): Finding => ({
  rule: 'not_scanned',
  path,
  line,
  shown: shorten(why, 200),
})
