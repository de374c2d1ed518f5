import type { Clock } from '../kernel/clock.ts'
import { shorten } from '../kernel/text.ts'
import { knownSecrets } from './redact.ts'
import { runInWorker } from '../threads/run-in-worker.ts'

/** A file, or a section of one. */
export interface SourceText {
  readonly path: string
  /** The line of the file at which the text begins; 1 by default. */
  readonly line?: number
  readonly text: string
}

export interface Finding {
  /** The kind of secret: `private-key`, `password`, `aws`, `github`, …; or `not_scanned`. */
  readonly rule: string
  readonly path: string
  readonly line: number
  /** The line up to the secret: never the secret itself. */
  readonly excerpt: string
}

/** The input of the worker thread, which knows no secrets of its own. */
export interface ScanRequest {
  readonly texts: readonly SourceText[]
  readonly known: readonly string[]
}

export interface ScanLimits {
  readonly clock: Clock
  readonly timeoutMs?: number
  readonly maxTextLength?: number
  readonly maxTotalLength?: number
}

/**
 * Scans untrusted texts for secrets. A text that could not be scanned (too long, too slow) is a finding too: an author
 * who hides a secret behind a flood of text is asked about the flood.
 */
export async function scanForSecrets(texts: readonly SourceText[], limits: ScanLimits): Promise<Finding[]> {
  const { clock, timeoutMs = 20_000 } = limits
  const { scanned, left } = withinLimits(texts, limits)
  if (scanned.length === 0) return left
  const request: ScanRequest = { texts: scanned, known: knownSecrets() }
  const result = await runInWorker<Finding[]>('secret-scan', request, { clock, timeoutMs, maxMemoryMb: 512 })
  if ('value' in result) return [...result.value, ...left]
  return [...scanned.slice(0, 20).map((text) => notScanned(text, result.error)), ...left]
}

function withinLimits(
  texts: readonly SourceText[],
  { maxTextLength = 2_000_000, maxTotalLength = 20_000_000 }: ScanLimits,
): { scanned: SourceText[]; left: Finding[] } {
  const scanned: SourceText[] = []
  const left: Finding[] = []
  let remaining = maxTotalLength
  for (const source of texts) {
    const text = source.text.slice(0, Math.min(maxTextLength, remaining))
    remaining -= text.length
    if (text !== '') scanned.push({ ...source, text })
    if (text.length < source.text.length)
      left.push(notScanned(source, `only the first ${text.length} of ${source.text.length} characters were looked at`))
  }
  return { scanned, left: left.slice(0, 50) }
}

const notScanned = ({ path, line = 1 }: SourceText, why: string): Finding => ({
  rule: 'not_scanned',
  path,
  line,
  excerpt: shorten(why, 200),
})
