import type { Limited } from '../../adapters/runtime/port.ts'
import { create, record, updated } from '../../events/change.ts'
import { isoAt } from '../../kernel/clock.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Brief } from '../briefs/contract.ts'
import { findHold, providerHolds } from './store.ts'
import { ownProvider, type RunScope } from '../scope.ts'

/** The duration of a hold if the provider does not name one. */
const unsaidSeconds = 60
/** The longest hold of a provider; afterwards it is tried again. */
const longestSeconds = 24 * 3_600
/** The longest hold by the word of an agent alone, whose runtime has no provider. It holds its own run. */
const longestOwnSeconds = 5 * 60
/** The shortest one: nothing counts such ends, and an agent could be launched again without a pause for ever. */
const shortestOwnSeconds = 15

/**
 * Holds a provider that accepts no more calls. The brief's own provider is held, independent of the name that the agent
 * reported: otherwise the brief would be launched again at once, and an agent could hold up the users of another
 * provider.
 */
export async function holdProvider(scope: RunScope, brief: Brief, limited: Limited): Promise<void> {
  const { tx } = scope
  const { provider } = brief
  const isOwn = provider === ownProvider(brief.runtime, scope.run)
  const seconds = isOwn
    ? secondsOf(limited, shortestOwnSeconds, longestOwnSeconds)
    : secondsOf(limited, 0, longestSeconds)
  await tx.lock('system')
  const until = isoAt(Date.parse(tx.at) + seconds * 1_000)
  const reason = shorten(redact(limited.reason), 500)
  const event = {
    kind: 'provider_held' as const,
    by: scope.by,
    runId: scope.run.id,
    briefId: brief.id,
    code: 'QUOTA',
    message: `${provider} accepts no launches until ${until}: ${reason}`,
    data: { provider, until },
  }
  const held = await findHold(tx, provider)
  if (held === undefined) await create(tx, providerHolds, { provider, until, reason, at: tx.at }, event)
  else if (held.until < until) await record(tx, event, [updated(providerHolds, held, { until, reason, at: tx.at })])
}

function secondsOf({ seconds }: Limited, shortest: number, longest: number): number {
  if (seconds === null || !Number.isFinite(seconds) || seconds <= 0) return unsaidSeconds
  return Math.max(shortest, Math.min(seconds, longest))
}
