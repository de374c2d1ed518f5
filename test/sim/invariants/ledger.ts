import type { Row } from '../history.ts'
import type { World } from '../world.ts'

/** Checks at the end that the ledger has exactly the calls that agents made: all of them, or the first if cut off. */
export function checkLedger({ history, played, fail }: World): void {
  const spent = new Map<string, Row[]>()
  for (const spend of history.rows('spends').values()) {
    const attemptId = spend['attempt_id'] as string
    spent.set(attemptId, [...(spent.get(attemptId) ?? []), spend])
  }
  for (const attemptId of spent.keys())
    if (!played.has(attemptId)) fail('the ledger equals the calls', `${attemptId} made no call, but has some recorded`)
  for (const [attemptId, { calls, isCutOff }] of played) {
    const made = calls.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0)
    const recorded = (spent.get(attemptId) ?? []).sort((a, b) => numberOf(a) - numberOf(b))
    const refuse = (why: string): void =>
      fail('the ledger equals the calls', `${attemptId} made ${made.length} calls, ${why}`)
    if (recorded.length > made.length || (recorded.length < made.length && !isCutOff))
      refuse(`and ${recorded.length} are recorded`)
    for (const [index, spend] of recorded.entries()) {
      const call = made[index]
      if (call?.inputTokens !== spend['input_tokens'] || call?.outputTokens !== spend['output_tokens'])
        refuse(`and the ${index + 1}. is recorded with ${spend['input_tokens']} and ${spend['output_tokens']} tokens`)
    }
  }
}

/** The id of a call ends with its number in the attempt. */
const numberOf = ({ id }: Row): number => Number(/\d+$/.exec(String(id))?.[0])
