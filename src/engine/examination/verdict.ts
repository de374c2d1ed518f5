import { shorten } from '../../kernel/text.ts'
import type { Report } from '../../work/attempts/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { findBrief } from '../../work/briefs/store.ts'
import type { CheckResult } from '../../work/evidence/record.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import { faultOfChecked, type JudgedFile, maxCovered, openedOf } from '../../work/verdicts/judgement.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import { witnessAt } from '../witnesses/table.ts'
import { othersOf } from './others.ts'

/** Larger files can only be compared by their hash. */
const maxQuotedBytes = 4_000_000

/**
 * Compares the files that a verdict names with the judged work. Their hashes are those of the place where evidence is
 * checked; the text is read where the verifier was, and counts only if it has the same hash.
 */
export async function faultOfVerdict(
  workspace: Workspace,
  { evidence }: Brief,
  { verdict }: Report,
  { outputs }: CheckResult,
): Promise<string | null> {
  return verdict === undefined ? null : faultOfChecked(verdict, evidence, readerOf(workspace, outputs))
}

/**
 * Returns a line for changed files that the verifier of a pass has not opened. The doer chooses the outputs of its
 * report, which a pass must cover; it does not choose the files that it has changed.
 */
export async function oddOfVerdict(
  { db, repositories }: EngineDeps,
  { run, brief }: Claimed,
  workspace: Workspace,
  { verdict }: Report,
  { outputs }: CheckResult,
): Promise<Odd[]> {
  const { repository } = run
  const { verifies, startCommit: to } = brief
  if (verdict?.verdict !== 'pass' || repositories === undefined || repository === null) return []
  if (verifies === null || to === null) return []
  const judged = await db.read((tx) => findBrief(tx, verifies))
  if (judged === undefined || judged.startCommit === null) return []
  const others = othersOf(run, judged)
  const changes = await repositories.changes(repository.mirror, { from: judged.startCommit, to, others })
  // A deleted file, a link and a submodule have no content to open.
  const changed = changes.flatMap(({ path, status, isLink, isSubmodule }) =>
    status === 'deleted' || isLink || isSubmodule === true ? [] : [path],
  )
  const opened = new Set(await openedOf(verdict, changed, readerOf(workspace, outputs)))
  if (opened.size >= Math.min(changed.length, maxCovered)) return []
  const missed = changed.filter((path) => !opened.has(path))
  const odd = witnessesFirst(missed).map((path) => shorten(path.replace(/\p{Cc}/gu, '?'), 120))
  const shown = odd.slice(0, mostNamed)
  const more = odd.length > shown.length ? ` and ${odd.length - shown.length} more` : ''
  const text = `the verifier opened ${opened.size} of ${changed.length} changed files; not: ${shown.join(', ')}${more}`
  return [{ kind: 'unopened', path: null, text }]
}

const mostNamed = 5

const witnessesFirst = (paths: readonly string[]): string[] =>
  paths.toSorted((one, other) => Number(witnessAt(other) !== null) - Number(witnessAt(one) !== null))

function readerOf(workspace: Workspace, outputs: CheckResult['outputs']) {
  const judged = new Map(outputs.map((output) => [output.path, output]))
  return async (path: string): Promise<JudgedFile | null> => {
    const output = judged.get(path)
    if (output === undefined) return null
    const file = await workspace.read(path, maxQuotedBytes)
    const isText = file?.sha256 === output.sha256 && file.bytes <= maxQuotedBytes && !file.text.includes('\0')
    return { sha256: output.sha256, bytes: output.bytes, text: isText ? file.text : null }
  }
}
