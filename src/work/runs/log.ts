import { appendEvent, type NewEvent } from '../../events/append.ts'
import type { LogLine } from '../../playbooks/contract.ts'
import { eventTags } from '../briefs/moves.ts'
import type { RunScope } from '../scope.ts'

/** Writes a line of the live log. */
export async function log(scope: RunScope, line: LogLine): Promise<void> {
  await appendEvent(scope.tx, `run:${scope.run.id}`, logEvent(scope, line))
}

/** Returns the event of a log line, for a caller that records changes with it. */
export const logEvent = (scope: RunScope, line: LogLine): NewEvent => ({
  kind: line.kind ?? 'log',
  by: line.by ?? scope.by,
  runId: scope.run.id,
  ...(line.brief === undefined ? {} : eventTags(scope, line.brief)),
  ...(line.brief === undefined ? {} : { briefId: line.brief.id, attemptId: line.brief.attemptId }),
  ...(line.tier === undefined ? {} : { tier: line.tier }),
  ...(line.workstream === undefined ? {} : { workstream: line.workstream }),
  ...(line.code === undefined ? {} : { code: line.code }),
  level: line.level ?? 'normal',
  message: line.message,
  data: { ...line.data },
})
