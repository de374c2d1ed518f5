import type { ReadTx } from '../../db/port.ts'
import { endOfOutput, shorten } from '../../kernel/text.ts'
import type { Brief } from '../briefs/contract.ts'
import { listBriefsById } from '../briefs/store.ts'
import { meansCost } from '../budgets/read-limit.ts'
import type { BudgetScope } from '../budgets/contract.ts'
import { findBudget } from '../budgets/store.ts'
import { describeEvidence } from '../evidence/contract.ts'
import type { Run } from '../runs/contract.ts'
import { type Question, takesOwnWords } from './contract.ts'
import type { BudgetUse, QuestionFacts } from './facts.contract.ts'
import { compareFailures, listTries, type Tries, verdictOn } from './failures.ts'
import { listRunsById } from './tries-store.ts'

const maxFailed = 3
const maxIssues = 5
const shownLines = { lines: 10, characters: 1_500 }

/** Derives the facts of these questions in a fixed number of queries, apart from those about budgets. */
export async function factsOf(tx: ReadTx, questions: readonly Question[]): Promise<Map<string, QuestionFacts>> {
  const briefIds = [...new Set(questions.flatMap(({ briefId }) => briefId ?? []))]
  const runIds = [...new Set(questions.flatMap(({ runId }) => runId ?? []))]
  const briefs = new Map((await listBriefsById(tx, briefIds)).map((brief) => [brief.id, brief]))
  const runs = new Map((await listRunsById(tx, runIds)).map((run) => [run.id, run]))
  const triesOf = await listTries(tx, briefIds)
  const found = new Map<string, QuestionFacts>()
  for (const question of questions) {
    const run = runs.get(question.runId ?? '')
    const brief = briefs.get(question.briefId ?? '')
    const tries = triesUntil(question, triesOf(question.briefId ?? ''))
    found.set(question.id, {
      goal: shorten(run?.goalAnchor ?? '', 1_000),
      askedBy: authorText(question),
      background: backgroundOf(question, run, brief),
      ...attemptFacts(question, run, brief, tries),
      budget: await budgetOf(tx, question),
    })
  }
  return found
}

/** Leaves out the attempts that came after the question. */
const triesUntil = ({ createdAt }: Question, tries: Tries): Tries => ({
  ...tries,
  attempts: tries.attempts.filter((attempt) => attempt.createdAt <= createdAt),
})

function attemptFacts(
  question: Question,
  run: Run | undefined,
  brief: Brief | undefined,
  tries: Tries,
): Omit<QuestionFacts, 'goal' | 'askedBy' | 'background' | 'budget'> {
  const attempt = tries.attempts.at(-1)
  const checks = attempt === undefined ? [] : (tries.checks.get(attempt.id) ?? [])
  const verdict = attempt === undefined ? undefined : verdictOn(tries, attempt)
  const claim = attempt?.report?.summary ?? null
  const attempts = compareFailures(tries)
  const commit = brief?.branchCommit ?? checks.findLast(({ commitId }) => commitId !== null)?.commitId ?? null
  return {
    attemptId: attempt?.id ?? null,
    claim: claim === null || question.text.includes(claim.trim()) ? null : shorten(claim, 600),
    items: brief?.evidence.length ?? 0,
    failed: checks.slice(0, maxFailed).map(({ evidence, detail, output }) => ({
      what: shorten(describeEvidence(evidence), 300),
      detail: shorten(detail, 600),
      output: endOfOutput(output, shownLines),
    })),
    failedTotal: checks.length,
    issues: [...(verdict?.issues ?? []), ...(verdict?.missingEvidence ?? [])]
      .slice(0, maxIssues)
      .map((issue) => shorten(issue, 300)),
    attempts,
    hasDiff: hasDiffOf(run, brief, commit),
    advice: (attempts?.alike ?? 0) > 1 && isAboutFailure(question) && takesOwnWords(question) ? 'own_words' : null,
  }
}

const hasDiffOf = (run: Run | undefined, brief: Brief | undefined, commit: string | null): boolean =>
  run !== undefined &&
  run.repository !== null &&
  brief !== undefined &&
  brief.startCommit !== null &&
  commit !== null &&
  commit !== brief.startCommit

const isAboutFailure = ({ kind }: Question): boolean => kind === 'failure'

/** Names the author: a brief by its key, a lead by its seat. */
function authorText({ askedBy }: Question): string {
  const [kind = ''] = askedBy.split(':')
  if (kind === 'engine' || kind === 'checks' || kind === 'budget') return 'the engine'
  return kind === 'brief' || kind === 'lead' ? askedBy.slice(kind.length + 1) : askedBy
}

/** Returns the context without the goal of the run, which the reader sees anyway, and without the question itself. */
function backgroundOf({ context, text }: Question, run: Run | undefined, brief: Brief | undefined): string {
  const [first = '', ...further] = context.split('\n\n')
  const goal = run === undefined ? undefined : shorten(run.goalAnchor, 1_000)
  const isKnown = (part: string): boolean => part === goal || part === text || part === `${brief?.key}: ${goal}`
  if (isKnown(context)) return ''
  // Of a budget, the runs that wait for it follow the objective.
  const isObjective = isKnown(first) || (goal !== undefined && first.endsWith(`: ${goal}`))
  return isObjective ? further.join('\n\n') : context
}

async function budgetOf(tx: ReadTx, { class: cause, askedBy }: Question): Promise<BudgetUse | null> {
  const [, scope = '', scopeId = ''] = askedBy.split(':')
  const budget = cause === 'budget' ? await findBudget(tx, scope as BudgetScope, scopeId) : undefined
  if (budget === undefined) return null
  const { tokenLimit, tokensSpent, costLimitMicros, microsSpent } = budget
  return { tokenLimit, tokensSpent, costLimitMicros, microsSpent, isAboutCost: meansCost(budget) }
}
