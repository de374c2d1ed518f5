import type { Db, Tx } from '../../db/port.ts'
import { change } from '../../events/change.ts'
import { type Actor, type AgentActor, actorName } from '../../kernel/actor.ts'
import { bug, notFound, refusal } from '../../kernel/errors.ts'
import type { ChaosPoint } from '../../kernel/chaos-point.ts'
import { shorten } from '../../kernel/text.ts'
import { redactDeeply } from '../../secrets/redact.ts'
import type { EventTags } from '../../playbooks/contract.ts'
import { findBrief } from '../briefs/store.ts'
import { findRun } from '../runs/store.ts'
import { playbookOf, type ScopeParts } from '../scope.ts'
import type { Brief } from '../briefs/contract.ts'
import { asksSeat } from '../questions/resolution.contract.ts'
import { findQuestionOfResolve } from '../questions/store.ts'
import { contradictionInWord, contradictionOf } from '../verdicts/contradiction.ts'
import { faultOfJudgement } from '../verdicts/judgement.ts'
import { evidenceForAgents } from '../verdicts/subject.ts'
import type { Attempt, Report } from './contract.ts'
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
      const { brief, attempt } = await db.read(async (tx) => ({
        brief: await findBrief(tx, agent.briefId),
        attempt: await findAttempt(tx, agent.attemptId),
      }))
      if (brief === undefined) throw bug(`attempt ${agent.attemptId} has no brief`)
      return {
        briefId: brief.id,
        runId: brief.runId,
        attemptId: agent.attemptId,
        attempt: agent.fence,
        objective: brief.objective,
        context: brief.context,
        evidence: evidenceForAgents(brief),
        corrections: brief.corrections,
        guidance: brief.guidance,
        inputsSeen: attempt?.inputsSeen ?? [],
        kind: brief.kind,
      }
    },

    async report(by: Actor, report: Report) {
      const agent = requireAgent(by)
      touch(agent.attemptId)
      const clean = redactDeeply(report)
      return db.write([`run:${agent.runId}`], async (tx) => {
        await checkFence(tx, agent)
        const attempt = await findAttempt(tx, agent.attemptId)
        const brief = await findBrief(tx, agent.briefId)
        if (attempt === undefined || brief === undefined) throw bug(`attempt ${agent.attemptId} vanished`)
        const { patch, said, note } = await takeReport(tx, attempt, brief, clean)
        await change(tx, attempts, attempt, patch, {
          kind: 'reported',
          by: actorName(agent),
          runId: agent.runId,
          briefId: agent.briefId,
          attemptId: agent.attemptId,
          level: 'verbose',
          message: `reports ${clean.status}: ${shorten(clean.summary, 300)}${said}`,
          data: { status: clean.status, outputs: clean.outputs, ...(said === '' ? {} : { remark: said.trim() }) },
        })
        tx.afterCommit(() => chaosPoint('agent.reported'))
        return { accepted: true as const, note }
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

interface Taken {
  readonly patch: Partial<Attempt>
  /** The remark in the event, and the answer to the agent. */
  readonly said: string
  readonly note: string
}

async function takeReport(tx: Tx, attempt: Attempt, brief: Brief, report: Report): Promise<Taken> {
  if (brief.kind === 'verify') return takeVerdict(attempt, brief, report)
  const hasAnswered =
    attempt.report !== null && asksSeat(brief) && (await findQuestionOfResolve(tx, brief.id)) === undefined
  return hasAnswered
    ? { patch: {}, said: ' (after its answer)', note: 'Your answer counts already. Nothing is left to do.' }
    : take(report)
}

/** The newest report of work counts. */
const take = (report: Report): Taken => ({
  patch: { report },
  said: '',
  note: 'Recorded. Your evidence is checked when you end.',
})

/**
 * The first valid verdict counts: a later one that differs may come from a program that the verifier has started, so
 * that neither can be believed. A verdict that is invalid in itself may be repaired, but not turned.
 */
function takeVerdict({ report: first }: Attempt, { evidence }: Brief, report: Report): Taken {
  const fault = report.status === 'blocked' ? null : faultOfJudgement(report, evidence)
  const taken: Taken = {
    patch: { report },
    said: '',
    note:
      fault === null
        ? 'Recorded. It is compared with the files when you end.'
        : `Recorded, but not valid yet: ${fault}. Report the same verdict again, repaired.`,
  }
  if (first === null) return taken
  const contradiction = contradictionOf(first, report)
  if (contradiction === null) return { patch: {}, said: ' (again)', note: 'This is recorded already.' }
  const isRepaired = first.status !== 'blocked' && faultOfJudgement(first, evidence) !== null
  if (isRepaired && contradictionInWord(first, report) === null) return taken
  return {
    patch: { contradiction },
    said: ` (contradicts its first report: ${contradiction})`,
    note: `This contradicts your first report: ${contradiction}. Neither counts, and the verification is done again.`,
  }
}

function requireAgent(by: Actor): AgentActor {
  if (by.kind !== 'agent') throw refusal('forbidden', 'only an agent that works on a brief has this')
  return by
}
