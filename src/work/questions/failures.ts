import type { ReadTx } from '../../db/port.ts'
import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { Attempt } from '../attempts/contract.ts'
import { type Check, describeEvidence } from '../evidence/contract.ts'
import { normaliseOutput } from '../evidence/same-output.ts'
import type { Verdict } from '../verdicts/contract.ts'
import type { FailedAttempts } from './facts.contract.ts'
import { listFailedChecks, listLastAttempts, listVerdictsOf } from './tries-store.ts'

/** More attempts say no more, and their outputs are long. */
const comparedAttempts = 10
const maxKinds = 5

/** The newest attempts at a brief, oldest first, with everything that failed in them. */
export interface Tries {
  readonly attempts: readonly Attempt[]
  readonly checks: ReadonlyMap<string, readonly Check[]>
  readonly verdicts: readonly Verdict[]
}

const noTries: Tries = { attempts: [], checks: new Map(), verdicts: [] }

/** Reads the newest attempts at these briefs in a fixed number of queries. */
export async function listTries(tx: ReadTx, briefIds: readonly string[]): Promise<(briefId: string) => Tries> {
  if (briefIds.length === 0) return () => noTries
  const attempts = await listLastAttempts(tx, briefIds, comparedAttempts)
  const checks = await listFailedChecks(
    tx,
    attempts.map(({ id }) => id),
  )
  const byBrief = Map.groupBy(attempts, ({ briefId }) => briefId)
  const byAttempt = Map.groupBy(checks, ({ attemptId }) => attemptId)
  const verdicts = Map.groupBy(await listVerdictsOf(tx, briefIds), ({ briefId }) => briefId)
  return (briefId) => ({
    attempts: byBrief.get(briefId) ?? [],
    checks: byAttempt,
    verdicts: verdicts.get(briefId) ?? [],
  })
}

export const verdictOn = ({ verdicts }: Tries, { fence }: Attempt): Verdict | undefined =>
  verdicts.findLast(({ scope, attempt, verdict }) => scope === 'brief' && attempt === fence && verdict !== 'pass')

interface Failure {
  readonly number: number
  readonly text: string
  /** Equal for two failures that differ at most in times, paths and counts. */
  readonly mark: string
}

/** Attempts that a restart or a used-up limit ended say nothing about the work. */
const failures: ReadonlySet<Attempt['outcome']> = new Set(['bad_output', 'partial_output', 'crash', 'timeout'])

function failureOf(tries: Tries, attempt: Attempt): Failure[] {
  const verdict = verdictOn(tries, attempt)
  if (verdict === undefined && !failures.has(attempt.outcome)) return []
  const checks = tries.checks.get(attempt.id) ?? []
  const [first] = checks
  const found = verdict === undefined ? [] : [...verdict.issues, ...verdict.missingEvidence]
  const text =
    first !== undefined
      ? `${describeEvidence(first.evidence)}: ${first.detail}`
      : (found[0] ?? attempt.detail ?? attempt.outcome ?? 'failed')
  const parts = checks.map(({ item, round, detail, output }) => [item, round, detail, normaliseOutput(output)])
  const reason = checks.length > 0 ? '' : normaliseOutput(attempt.detail ?? '')
  const mark = JSON.stringify([attempt.outcome, parts, found.toSorted(), verdict === undefined ? reason : ''])
  return [{ number: attempt.fence, text: shorten(text, 300), mark }]
}

/** Compares the failed attempts at a brief; returns null if fewer than two have failed. */
export function compareFailures(tries: Tries): FailedAttempts | null {
  const all = tries.attempts.flatMap((attempt) => failureOf(tries, attempt))
  const last = all.at(-1)
  if (last === undefined || all.length < 2) return null
  const kinds = [...Map.groupBy(all, ({ mark }) => mark).values()]
  const alike = all.length - 1 - all.findLastIndex(({ mark }) => mark !== last.mark)
  const isCut = tries.attempts.length === comparedAttempts && (tries.attempts[0]?.fence ?? 1) > 1
  return {
    summary: `${isCut ? 'the last ' : ''}${counted(all.length, 'attempt')}, ${kinds.length === 1 ? 'same failure' : `${kinds.length} different failures`}`,
    alike,
    kinds: kinds.slice(0, maxKinds).map((each) => ({
      attempts: each.map(({ number }) => number),
      failure: each[0]?.text ?? '',
    })),
  }
}

/** Reports whether the last attempts at a brief failed in the same way, so that another one alone promises nothing. */
export async function hasFailedAlike(tx: ReadTx, briefId: string): Promise<boolean> {
  const tries = (await listTries(tx, [briefId]))(briefId)
  return (compareFailures(tries)?.alike ?? 0) > 1
}
