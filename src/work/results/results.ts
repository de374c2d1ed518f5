import type { ReadTx } from '../../db/port.ts'
import { shorten } from '../../kernel/text.ts'
import { type Check, describeEvidence } from '../evidence/contract.ts'
import { listChecksOfAttempts } from '../evidence/store.ts'
import type { GroupResults, Result, Results, ResultsRequest } from './contract.ts'
import { countResults, type GroupRow, listResults, type ResultRow } from './store.ts'

/** Maximum number of briefs and groups that a step sees, and of the characters of those briefs together. */
const mostBriefs = 100
const mostGroups = 200
const mostCharacters = 30_000
/** Maximum number of outputs, checks and issues of one brief. */
const mostOfOne = 10

/** Returns the work of a run or a part with its outputs, checks and verdicts, bounded however large the run is. */
export async function findResults(tx: ReadTx, runId: string, request: ResultsRequest): Promise<Results> {
  const groups = await countResults(tx, runId, request)
  const briefs = fitting(await checkedResults(tx, await listResults(tx, runId, request, mostBriefs)))
  const total = groups.reduce((sum, { tasks }) => sum + tasks, 0)
  return {
    groups: Object.fromEntries(groups.slice(0, mostGroups).map((group) => [group.groupKey ?? '', numbersOf(group)])),
    more_groups: Math.max(0, groups.length - mostGroups),
    briefs,
    more_briefs: total - briefs.length,
  }
}

/** Returns the newest result of one brief of any kind; undefined: there is no such brief. */
export async function findResult(tx: ReadTx, runId: string, briefId: string): Promise<Result | undefined> {
  return (await checkedResults(tx, await listResults(tx, runId, { briefId }, 1)))[0]
}

async function checkedResults(tx: ReadTx, rows: readonly ResultRow[]): Promise<Result[]> {
  const attemptIds = rows.flatMap(({ attemptId }) => attemptId ?? [])
  const checks = Map.groupBy(await listChecksOfAttempts(tx, attemptIds), ({ attemptId }) => attemptId)
  return rows.map((row) => resultOf(row, checks.get(row.attemptId ?? '') ?? []))
}

const numbersOf = ({ groupKey: _, ...numbers }: GroupRow): GroupResults => numbers

/** Returns the first results that fit together into the maximum, at least one. */
function fitting(results: readonly Result[]): readonly Result[] {
  let length = 0
  const end = results.findIndex((result, index) => {
    length += JSON.stringify(result).length
    return index > 0 && length > mostCharacters
  })
  return end === -1 ? results : results.slice(0, end)
}

function resultOf(row: ResultRow, checks: readonly Check[]): Result {
  const { report, outputs } = row
  const made = outputs ?? []
  const paths = new Set(made.map(({ path }) => plain(path)))
  const missing = (report?.outputs ?? []).filter((path) => !paths.has(plain(path)))
  const found = checks.toSorted((a, b) => Number(a.passed) - Number(b.passed))
  return {
    key: row.key,
    title: shorten(row.title, 200),
    group: row.groupKey,
    status: row.status,
    attempt: row.attempts,
    summary: report === null ? null : shorten(report.summary, 500),
    outputs: made.slice(0, mostOfOne).map(({ path, sha256 }) => ({ path: shorten(path, 200), sha256 })),
    ...(made.length > mostOfOne ? { more_outputs: made.length - mostOfOne } : {}),
    ...(missing.length > 0 ? { missing_outputs: some(missing, 200) } : {}),
    evidence: found.slice(0, mostOfOne).map(checkLine),
    ...(found.length > mostOfOne ? { more_evidence: found.length - mostOfOne } : {}),
    verdict: verdictOf(row),
  }
}

const plain = (path: string): string => path.replace(/^(\.\/)+/, '')

const checkLine = ({ evidence, passed, detail }: Check): string =>
  shorten(`${passed ? 'passed' : 'FAILED'}: ${describeEvidence(evidence)}: ${detail}`, 300)

function verdictOf({ verdict, issues, missingEvidence, notes }: ResultRow): Result['verdict'] {
  if (verdict === null) return null
  const all = [...(missingEvidence ?? []).map((each) => `missing evidence: ${each}`), ...(issues ?? [])]
  return { verdict, issues: some(all, 300), notes: shorten(notes ?? '', 500) }
}

/** Returns the first items of a list, and a line with the number of the others. */
const some = (items: readonly string[], length: number): string[] => [
  ...items.slice(0, mostOfOne).map((item) => shorten(item, length)),
  ...(items.length > mostOfOne ? [`and ${items.length - mostOfOne} more`] : []),
]
