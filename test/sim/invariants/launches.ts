import type { History, Row } from '../history.ts'
import type { World } from '../world.ts'
import {
  attemptsOf,
  configurationOf,
  haltsRun,
  holdsOf,
  isTiered,
  nameOf,
  newestGate,
  pendingGatesOf,
  stepsInto,
} from './brief.ts'

/** Checks that no brief starts too early or too late. */
export function watchLaunches(world: World): void {
  /** Briefs that were verified once: they satisfy their dependents even if they are cancelled later. */
  const everVerified = new Set<string>()
  world.history.watch((event, history) => {
    for (const { after } of stepsInto(event, 'verified')) everVerified.add(after?.['id'] as string)
    for (const { after } of stepsInto(event, 'pending')) everVerified.delete(after?.['id'] as string)
    for (const { before, after } of stepsInto(event, 'assigned')) check(history, before as Row, after as Row)
  })

  function check(history: History, before: Row, brief: Row): void {
    const runId = brief['run_id'] as string
    const run = history.row('runs', runId) as Row
    const refuse = (why: string): void =>
      history.fail('nothing starts too early or too late', `${nameOf(brief)} ${why}`)
    if (run['status'] !== 'running') refuse(`starts while its run is ${run['status']}`)
    if (run['abandoned'] === 1) refuse('starts in a run that was given up')
    if (before['hold_count'] !== 0) refuse(`starts although ${holdsOf(history, before).join(', ')} holds it`)
    for (const gate of pendingGatesOf(history, runId))
      if (haltsRun(gate) || gate['boundary'] === `brief:${brief['id']}`)
        refuse(`starts while the gate ${gate['gate']} is pending`)
    for (const other of history.of('briefs', runId))
      if (other['status'] === 'failed' && other['kind'] !== 'verify' && brief['phase'] !== 'resolve')
        refuse(`starts although ${nameOf(other)} failed`)
    for (const edge of history.of('dependencies', runId)) {
      if (edge['brief_id'] !== brief['id']) continue
      const awaited = history.row('briefs', edge['after_id'] as string) as Row
      const isMet =
        awaited['status'] === 'verified' ||
        awaited['status'] === 'done' ||
        // The attempt has ended and its outputs exist, whether or not they are verified later.
        (isTiered(run) &&
          ['ready_for_verification', 'blocked'].includes(awaited['status'] as string) &&
          edge['met'] === 1) ||
        // In a tiered run, other briefs have replaced a cancelled one.
        (awaited['status'] === 'cancelled' && (isTiered(run) || everVerified.has(awaited['id'] as string)))
      if (!isMet) refuse(`starts while ${nameOf(awaited)}, which it waits for, is ${awaited['status']}`)
    }
    const escalation = newestGate(history, runId, (gate) => gate['boundary'] === `brief:${brief['id']}`)
    if (escalation?.['status'] === 'rejected') refuse('starts after its gate was rejected')
    if (brief['kind'] === 'work' && configurationOf(run).planGate) {
      const gate = newestGate(history, runId, (each) => each['gate'] === 'plan')
      if (gate?.['status'] !== 'approved') refuse(`starts although its plan is ${gate?.['status']}`)
    }
    if (brief['kind'] === 'verify') {
      const judged = history.row('briefs', brief['verifies'] as string) as Row
      if (judged['status'] !== 'ready_for_verification' || judged['attempts'] !== brief['verifies_attempt'])
        refuse(`starts to verify ${nameOf(judged)}, which is ${judged['status']} in attempt ${judged['attempts']}`)
    }
    if (brief['attempts'] !== (before['attempts'] as number) + 1) refuse('starts without a new fence')
    const live = attemptsOf(history, brief).filter((attempt) => attempt['status'] !== 'ended')
    if (live.length > 1) refuse(`starts while ${live.length - 1} other attempt is live`)
  }
}
