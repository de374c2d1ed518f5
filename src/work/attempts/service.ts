import type { Db, Tx } from '../../db/port.ts'
import { change } from '../../events/change.ts'
import { type Actor, type AgentActor, actorName } from '../../kernel/actor.ts'
import { bug, notFound, refusal } from '../../kernel/errors.ts'
import type { ChaosPoint } from '../../kernel/chaos-point.ts'
import { shorten } from '../../kernel/text.ts'
import { redact, redactDeeply } from '../../secrets/redact.ts'
import type { EventTags } from '../../playbooks/contract.ts'
import { findBrief } from '../briefs/store.ts'
import { findRun } from '../runs/store.ts'
import { playbookOf, type ScopeParts } from '../scope.ts'
import type { Report } from './contract.ts'
import { attempts, checkFence, findAttempt } from './store.ts'
import { isAgentAtWork } from '../../kernel/attempt-state.ts'
import type { AttemptFiles } from './files.ts'

export type Attempts = ReturnType<typeof createAttempts>

/** Operations of an agent on the one attempt that its token is bound to, and the operator's view of any attempt. */
export function createAttempts({
  db,
  chaosPoint,
  touch,
  files,
  playbooks,
}: {
  db: Db
  chaosPoint: ChaosPoint
  touch: (attemptId: string) => void
  files: Pick<AttemptFiles, 'readOutput'>
  playbooks: ScopeParts['playbooks']
}) {
  return {
    /** Checks that the attempt is the current one of its brief and returns the tags of the brief's events. */
    async checkFence(tx: Tx, by: AgentActor): Promise<EventTags> {
      await checkFence(tx, by)
      const run = await findRun(tx, by.runId)
      const brief = await findBrief(tx, by.briefId)
      if (run === undefined || brief === undefined) throw bug(`attempt ${by.attemptId} has no brief`)
      return playbookOf({ playbooks }, run).describe?.(brief).tags ?? {}
    },

    async brief(by: Actor) {
      const agent = requireAgent(by)
      touch(agent.attemptId)
      const brief = await db.read((tx) => findBrief(tx, agent.briefId))
      if (brief === undefined) throw bug(`attempt ${agent.attemptId} has no brief`)
      return {
        briefId: brief.id,
        runId: brief.runId,
        attemptId: agent.attemptId,
        attempt: agent.fence,
        objective: brief.objective,
        context: brief.context,
        evidence: brief.evidence,
        corrections: brief.corrections,
        guidance: brief.guidance,
        kind: brief.kind,
      }
    },

    async report(by: Actor, report: Report) {
      const agent = requireAgent(by)
      touch(agent.attemptId)
      const clean = {
        ...report,
        summary: redact(report.summary),
        ...(report.output === undefined ? {} : { output: redactDeeply(report.output) }),
      }
      return db.write([`run:${agent.runId}`], async (tx) => {
        await checkFence(tx, agent)
        const attempt = await findAttempt(tx, agent.attemptId)
        if (attempt === undefined) throw bug(`attempt ${agent.attemptId} vanished`)
        await change(
          tx,
          attempts,
          attempt,
          { report: clean },
          {
            kind: 'reported',
            by: actorName(agent),
            runId: agent.runId,
            briefId: agent.briefId,
            attemptId: agent.attemptId,
            level: 'verbose',
            message: `reports ${clean.status}: ${shorten(clean.summary, 300)}`,
            data: { status: clean.status, outputs: clean.outputs },
          },
        )
        tx.afterCommit(() => chaosPoint('agent.reported'))
        return { accepted: true as const, note: 'Recorded. Your evidence is checked when you end.' }
      })
    },

    /** The attempt must exist, because its id names a folder. */
    async output(attemptId: string, after: number | null) {
      const attempt = await db.read((tx) => findAttempt(tx, attemptId))
      if (attempt === undefined) throw notFound('attempt', attemptId, 'List them with "agency inspect <run>".')
      // The attempt is read before its output: once its agent has ended, all of its output is stored.
      const { from, text, next, isAll } = await files.readOutput(attempt.id, after)
      return { attemptId: attempt.id, from, text, next, ended: !isAgentAtWork(attempt) && isAll }
    },
  }
}

function requireAgent(by: Actor): AgentActor {
  if (by.kind !== 'agent') throw refusal('forbidden', 'only an agent that works on a brief has this')
  return by
}
