import type { Jobs } from '../jobs/queue.ts'
import type { Later } from './scope.ts'

const kinds = ['gate_timeout', 'gate_reminder'] as const

/** A wake-up is a job of the transaction that makes it necessary: it comes also after a kill, and not without a gate. */
export const laterThrough =
  (jobs: Pick<Jobs, 'enqueue'>): Later =>
  async (tx, { kind, gateId, delayMs }) => {
    await jobs.enqueue(tx, { kind, singleton: gateId, payload: gateId, delayMs })
  }

/** Before the queue starts. */
export function wakeGates(
  jobs: Pick<Jobs, 'handle'>,
  gates: { wake(kind: (typeof kinds)[number], gateId: string): Promise<void> },
): void {
  for (const kind of kinds) jobs.handle(kind, ({ payload }) => gates.wake(kind, String(payload)))
}
