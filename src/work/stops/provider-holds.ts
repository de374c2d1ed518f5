import type { Limited } from '../../adapters/runtime/port.ts'
import { create, record, updated } from '../../events/change.ts'
import { isoAt } from '../../kernel/clock.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Brief } from '../briefs/contract.ts'
import { findHold, providerHolds } from './store.ts'
import type { RunScope } from '../scope.ts'

/** Where a provider does not say when it takes calls again. */
const unsaidSeconds = 60
/** An agent's word is not enough to keep everybody waiting for longer; it is asked again tomorrow. */
const longestSeconds = 24 * 3_600

/**
 * Nothing is launched on a provider that takes no more calls. The brief's own is held, whatever name the agent gave it:
 * otherwise it would be launched again at once, and no agent can hold up those who use another.
 */
export async function holdProvider(scope: RunScope, brief: Brief, limited: Limited): Promise<void> {
  const { tx } = scope
  await tx.lock('system')
  const until = isoAt(Date.parse(tx.at) + secondsOf(limited) * 1_000)
  const reason = shorten(redact(limited.reason), 500)
  const { provider } = brief
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

function secondsOf({ seconds }: Limited): number {
  if (seconds === null || !Number.isFinite(seconds) || seconds <= 0) return unsaidSeconds
  return Math.min(seconds, longestSeconds)
}
