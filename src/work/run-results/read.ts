import type { Db, ReadTx } from '../../db/port.ts'
import type { Clock } from '../../kernel/clock.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import type { Repositories } from '../../repositories/port.ts'
import type { Brief } from '../briefs/contract.ts'
import { findBrief } from '../briefs/store.ts'
import type { Claim } from '../proof-sheets/contract.ts'
import { readSheet, type SheetPage } from '../proof-sheets/sheet.ts'
import { findPullRequestOf } from '../pull-requests/store.ts'
import type { Question } from '../questions/contract.ts'
import type { Run } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
import { standingOf } from '../runs/standing.ts'
import type { Surroundings } from '../runs/waits-for.ts'
import type { AnsweredQuestion, RunResult } from './contract.ts'
import { type ChangeRange, listFiles, readChanges } from './files.ts'
import { findSentence, leftOf, ofClaim } from './sentence.ts'
import { countBriefs, countVerifiers, listAnswered } from './store.ts'

export interface RunResultDeps {
  db: Db
  clock: Clock
  playbooks: ReadonlyMap<string, Playbook>
  repositories?: Repositories | undefined
  /** The number of agents that may run at once. */
  slots: number
  isLeftOut: Surroundings['isLeftOut']
}

const shownVerifiers = 50
const shownAnswers = 200

/** Derives the result from rows, then from git, whose processes run outside the transaction. */
export async function readResult(deps: RunResultDeps, prefix: string, page: SheetPage): Promise<RunResult> {
  const { db, repositories } = deps
  const { run, range, shown } = await db.read(async (tx) => {
    const run = await requireRun(tx, prefix)
    const brief = page.briefId === undefined ? undefined : await briefOf(tx, run, page.briefId)
    return { run, range: await rangeOf(tx, run, brief), shown: await readRows(deps, tx, run, brief, page) }
  })
  const changes = await readChanges(repositories, range)
  const files = await db.read((tx) => listFiles(tx, run.id, changes.files, shown.claims))
  return { ...shown, ...files, diff: changes.diff, diffFault: changes.fault }
}

async function readRows(
  { playbooks, clock, slots, isLeftOut }: RunResultDeps,
  tx: ReadTx,
  run: Run,
  brief: Brief | undefined,
  page: SheetPage,
): Promise<Omit<RunResult, 'files' | 'filesTotal' | 'diff' | 'diffFault'>> {
  const sheet = await readSheet(tx, playbooks, run, { ...page, troubledFirst: true })
  const briefs = await countBriefs(tx, run.id)
  const only = onlyClaim(sheet.claims, sheet.total)
  return {
    ...sheet,
    sentence:
      brief === undefined
        ? await findSentence(tx, { run, playbook: playbooks.get(run.playbook), only })
        : ofClaim(only),
    left: brief === undefined ? leftOf(briefs, run.status === 'done') : null,
    briefs,
    verifiedBy: await countVerifiers(tx, run.id, brief?.id, shownVerifiers),
    answers: (await listAnswered(tx, run.id, brief?.id, shownAnswers)).toReversed().map(answerOf),
    cost:
      brief === undefined
        ? {
            costMicros: run.costMicros,
            tokens: run.inputTokens + run.outputTokens,
            unpricedCalls: run.unpricedCalls,
          }
        : { costMicros: brief.costMicros, tokens: brief.tokensUsed, unpricedCalls: null },
    waitsFor: (await standingOf(tx, run, { at: clock.at(), slots, isLeftOut })).waitsFor,
  }
}

const onlyClaim = (claims: readonly Claim[], total: number): Claim | undefined => (total === 1 ? claims[0] : undefined)

async function briefOf(tx: ReadTx, run: Run, briefId: string): Promise<Brief> {
  const brief = await findBrief(tx, briefId)
  if (brief === undefined || brief.runId !== run.id) throw notFound('brief', briefId, `It is not a brief of ${run.id}.`)
  return brief
}

/** Returns the commits between which the result lies; null without a repository, or if nothing was collected. */
async function rangeOf(tx: ReadTx, run: Run, brief: Brief | undefined): Promise<ChangeRange | null> {
  if (run.repository === null) return null
  const { mirror } = run.repository
  if (brief !== undefined)
    return brief.startCommit === null || brief.branchCommit === null
      ? null
      : { mirror, from: brief.startCommit, to: brief.branchCommit }
  const from = (await findPullRequestOf(tx, run.id))?.baseCommit ?? run.repository.base
  return run.head === null || run.head === from ? null : { mirror, from, to: run.head }
}

const answerOf = ({ id, briefId, text, answer, answeredBy, answeredAt, createdAt }: Question): AnsweredQuestion => ({
  id,
  briefId,
  text,
  answer: answer ?? '',
  by: answeredBy,
  at: answeredAt ?? createdAt,
})
