import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { progressOf } from './progress.ts'

/** Reports whether a brief has failed, waits for an answer, or works again after a failure. */
export const isFailing = (brief: HeldBrief): boolean => ['failed', 'blocked', 'retrying'].includes(progressOf(brief))

/** Returns the briefs whose title or key contains every word of the text. */
export function matchingBriefs(
  briefs: readonly HeldBrief[],
  { text, onlyFailing }: { text: string; onlyFailing: boolean },
): HeldBrief[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return briefs.filter((brief) => {
    if (onlyFailing && !isFailing(brief)) return false
    const named = `${brief.title} ${brief.key}`.toLowerCase()
    return words.every((word) => named.includes(word))
  })
}
