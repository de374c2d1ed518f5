import type { Clock } from '../../kernel/clock.ts'
import type { Evidence } from '../../work/evidence/contract.ts'
import type { Found } from './finding.ts'

/** A check of a commit that no agent of the brief has touched. */
export interface KeptCheck {
  readonly repository: string
  readonly commit: string
  /** The setup command of the run or the repository; null: found from the lockfile. */
  readonly setup: string | null
  readonly isOnHost: boolean
  /** Null: only the setup. */
  readonly evidence: Evidence | null
}

/** Remembers in memory how checks of commits ended: several briefs and attempts begin with the same commit. */
export interface KeptOutcomes {
  /** Resolves to the outcome that is known, or to that of `look`, which is kept then. */
  find(check: KeptCheck, look: () => Promise<Found>): Promise<Found>
}

/** A commit that fails is tried again after this time: the cause may be gone, such as a registry that is down. */
const failureKeptMs = 10 * 60_000
const maxKept = 500

export function createKeptOutcomes({ clock }: { clock: Clock }): KeptOutcomes {
  const kept = new Map<string, { outcome: Found; atMs: number }>()
  const looking = new Map<string, Promise<Found>>()
  return {
    find: async ({ repository, commit, setup, isOnHost, evidence }, look) => {
      const key = JSON.stringify([repository, commit, setup, isOnHost, evidence])
      const known = kept.get(key)
      if (known !== undefined && (known.outcome.passed || clock.nowMs() - known.atMs < failureKeptMs))
        return known.outcome
      // Another look that ends without an outcome leaves it to this one.
      const other = await looking.get(key)?.catch(() => null)
      if (other !== undefined && other !== null) return other
      const began = clock.nowMs()
      const looked = look().then((found) => ({ durationMs: Math.max(0, clock.nowMs() - began), ...found }))
      looking.set(key, looked)
      const outcome = await looked.finally(() => looking.delete(key))
      kept.delete(key)
      kept.set(key, { outcome, atMs: clock.nowMs() })
      const [oldest] = kept.keys()
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
      return outcome
    },
  }
}
