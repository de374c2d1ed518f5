import type { Actor } from '../kernel/actor.ts'
import type { Clock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { runInWorker } from './run-in-worker.ts'

/** The kinds of YAML that come from outside: by the API, or in a file of a talent pool. */
export type TextKind = 'plan' | 'organisation' | 'team' | 'persona' | 'personality' | 'registry'

const maxMemoryMb = 768

/** An operator's text up to this length is read at once: no form of it takes longer than a thread needs to start. */
export const smallText = 16_000

/**
 * Reads a text of YAML in a thread, so that other requests are served meanwhile. YAML of a few thousand characters can
 * keep a parser busy for a second, and larger ones for minutes.
 */
export async function readText<T>(kind: TextKind, text: string, clock: Clock, by?: Actor): Promise<T> {
  const [read] = await readTexts<T>(kind, [text], clock, by)
  return read as T
}

/** Reads several texts of the same kind in one thread. */
export async function readTexts<T>(
  kind: TextKind,
  texts: readonly string[],
  clock: Clock,
  by?: Actor,
): Promise<readonly T[]> {
  if (texts.length === 0) return []
  const timeoutMs = timeFor(texts.reduce((sum, text) => sum + text.length, 0))
  const result = await runInWorker<T[]>(
    'document-reader',
    { kind, texts },
    { clock, timeoutMs, maxMemoryMb, isKept: true, byAgent: by?.kind === 'agent' },
  )
  if ('value' in result) return result.value
  if (result.refusal === undefined) throw refusal('too_large', `the ${kind} could not be read: ${result.error}`)
  const { code, hint } = result.refusal
  throw refusal(code, result.error, hint === undefined ? {} : { hint })
}

/** The largest text takes a few seconds on a slow machine; a text that takes longer was written to do so. */
const timeFor = (length: number): number => Math.min(50_000, 4_000 + Math.round(length / 100))
