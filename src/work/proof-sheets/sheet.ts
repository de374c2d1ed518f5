import type { ReadTx } from '../../db/port.ts'
import { shortenMiddle } from '../../kernel/text.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { findDocuments } from '../artifacts/store.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import { type Check, describeEvidence, expectationsOf } from '../evidence/contract.ts'
import type { GateRow } from '../gates/contract.ts'
import { listGatesOfRun } from '../gates/store.ts'
import { showNote } from '../notes/contract.ts'
import { listParts } from '../parts/store.ts'
import type { ProofFinding } from '../proofs/contract.ts'
import { listProofs } from '../proofs/store.ts'
import { findPullRequestOf } from '../pull-requests/store.ts'
import { listRepeats } from '../repeats/store.ts'
import type { Run } from '../runs/contract.ts'
import type { Author, Claim, ProofSheet, SheetCheck, SheetFinding, SheetGate } from './contract.ts'
import { type Stated, stateStanding } from './standing.ts'
import {
  type ClaimLine,
  countChecks,
  listAttemptsById,
  listAuthors,
  listBriefsById,
  listCancelledKeys,
  listChecksOf,
  listClaimLines,
  listNotesOf,
  listUnsettledKeys,
  listVerdictLines,
  listVerdictsOf,
} from './store.ts'

/** The claims that a sheet shows, of a whole run or of one of its briefs. */
export interface SheetPage {
  readonly offset: number
  readonly limit: number
  readonly briefId?: string | undefined
  /** Claims of failed and blocked briefs come first, for a reader of a few of them. */
  readonly troubledFirst?: boolean
}

const shownOutput = 2_000
const shownProofs = 10
const shownRepeats = 5
const shownGates = 200
const shownParts = 200

/** Derives the sheet from the rows of a run, in a fixed number of queries however many claims it shows. */
export async function readSheet(
  tx: ReadTx,
  playbooks: ReadonlyMap<string, Playbook>,
  run: Run,
  { offset, limit, briefId, troubledFirst = false }: SheetPage,
): Promise<ProofSheet> {
  const scope = { runId: run.id, briefId }
  const merged = run.repository === null ? null : ((await findPullRequestOf(tx, run.id))?.mergedCommit ?? null)
  const lines = await listClaimLines(tx, scope)
  const proofs = await listProofs(tx, run.id)
  const repeats = await listRepeats(tx, run.id, shownRepeats)
  const stated = stateStanding({
    run,
    merged,
    lines,
    tallies: await countChecks(tx, scope),
    verdicts: await listVerdictLines(tx, scope),
    unsettled: await listUnsettledKeys(tx, scope),
    cancelled: await listCancelledKeys(tx, scope),
    proofs,
    repeat: repeats.find(({ status }) => status === 'passed' || status === 'failed'),
  })
  const ordered = troubledFirst ? lines.toSorted((one, other) => rankOf(one) - rankOf(other)) : lines
  const page = ordered.slice(offset, offset + limit)
  return {
    run: headOf(run, merged, stated),
    statement: stated.statement,
    isProven: stated.isProven,
    gaps: stated.gaps,
    proofs: proofs
      .toReversed()
      .slice(0, shownProofs)
      .map(({ gate: _, runId: __, findings, ...proof }) => ({ ...proof, findings: findings.map(findingOf) })),
    repeats: repeats.map(({ runId: _, findings, ...repeat }) => ({ ...repeat, findings: findings.map(findingOf) })),
    gates: (await listGatesOfRun(tx, run.id)).slice(-shownGates).map(gateOf),
    acceptances: await listAcceptances(tx, playbooks.get(run.playbook), run),
    claims: await claimsOf(tx, page, stated),
    total: lines.length,
    next: offset + limit < lines.length ? offset + limit : null,
  }
}

const rankOf = ({ status }: ClaimLine): number => (status === 'failed' || status === 'blocked' ? 0 : 1)

const headOf = (run: Run, merged: string | null, { boxed }: Stated): ProofSheet['run'] => ({
  id: run.id,
  goal: run.goalAnchor,
  playbook: run.playbook,
  status: run.status,
  simulated: run.simulated,
  boxed,
  repository:
    run.repository === null
      ? null
      : { path: run.repository.path, branch: run.repository.branch, base: run.repository.base },
  result: run.repository === null ? null : run.head,
  merged,
  startedAt: run.startedAt,
  endedAt: run.endedAt,
})

const wordsOf = (found: Pick<Check, 'evidence' | 'detail'>): Pick<SheetCheck, 'what' | 'expects' | 'exitCode'> => ({
  what: describeEvidence(found.evidence),
  expects: expectationsOf(found.evidence),
  exitCode: exitCodeOf(found),
})

/** Reads the exit code from the reason of a check, which names it unless the command was ended or did not run. */
function exitCodeOf({ evidence, detail }: Pick<Check, 'evidence' | 'detail'>): number | null {
  if (evidence.kind !== 'command') return null
  const found = /^exit code (\d+)/.exec(detail)?.[1]
  if (found !== undefined) return Number(found)
  return detail.startsWith('its output does not contain') ? evidence.expectExit : null
}

const findingOf = (finding: ProofFinding): SheetFinding => ({
  ...finding,
  output: shortenMiddle(finding.output, shownOutput),
  ...wordsOf(finding),
})

const checkOf = ({ runId: _, briefId: __, attemptId: ___, ...check }: Check): SheetCheck => ({
  ...check,
  output: shortenMiddle(check.output, shownOutput),
  ...wordsOf(check),
})

const gateOf = ({
  id,
  gate,
  boundary,
  approver,
  status,
  by,
  approvals,
  note,
  reason,
  summary,
  decidedAt,
}: GateRow): SheetGate => ({
  id,
  gate,
  boundary,
  approver,
  status,
  by,
  approvals,
  note,
  reason,
  produced: summary.produced,
  anomalies: summary.anomalies,
  decidedAt,
})

/** Returns the newest verdict on each part of a run whose playbook has some. */
async function listAcceptances(tx: ReadTx, playbook: Playbook | undefined, run: Run): Promise<string[]> {
  const of = playbook?.branches
  if (of === undefined) return []
  const keys = (await listParts(tx, run.id))
    .filter(({ status, parent }) => status !== 'cancelled' && parent !== null)
    .slice(0, shownParts)
    .map(({ key }) => key)
  const documents = await findDocuments(
    tx,
    run.id,
    keys.map((key) => of.verdictDocument(key)),
  )
  return keys.flatMap((key) => {
    const document = documents[of.verdictDocument(key)]
    return document === undefined ? [] : [of.verdictText(key, document)]
  })
}

async function claimsOf(tx: ReadTx, page: readonly ClaimLine[], { basisOf }: Stated): Promise<Claim[]> {
  const briefIds = page.map(({ briefId }) => briefId)
  const attemptIds = page.flatMap(({ attemptId }) => attemptId ?? [])
  const byId = new Map((await listBriefsById(tx, briefIds)).map((brief) => [brief.id, brief]))
  const newest = new Map((await listAttemptsById(tx, attemptIds)).map((attempt) => [attempt.briefId, attempt]))
  const checks = Map.groupBy(await listChecksOf(tx, attemptIds), ({ briefId }) => briefId)
  const verdicts = Map.groupBy(await listVerdictsOf(tx, briefIds), ({ briefId }) => briefId)
  const notes = Map.groupBy(await listNotesOf(tx, briefIds), ({ briefId }) => briefId)
  const agentIds = [
    ...[...newest.values()].map(({ agentId }) => agentId),
    ...[...verdicts.values()].flat().map(({ verifierId }) => verifierId),
  ]
  const authors = new Map((await listAuthors(tx, [...new Set(agentIds)])).map((author) => [author.agentId, author]))
  return page.flatMap(({ briefId: id, odd }) => {
    const brief = byId.get(id)
    if (brief === undefined) return []
    const attempt = newest.get(id)
    return {
      ...claimOf(brief, attempt, authors),
      odd: odd ?? [],
      basis: basisOf(id),
      checks: (checks.get(id) ?? []).map(checkOf),
      verdicts: (verdicts.get(id) ?? []).map(
        ({
          id: verdictId,
          scope,
          attempt: of,
          verdict,
          checked,
          missingEvidence,
          issues,
          notes: said,
          at,
          verifierId,
        }) => ({
          id: verdictId,
          scope,
          attempt: of,
          verdict,
          checked,
          missingEvidence,
          issues,
          notes: said,
          at,
          by: authors.get(verifierId) ?? null,
          isCurrent: of === attempt?.fence,
        }),
      ),
      notes: (notes.get(id) ?? []).map(showNote),
    }
  })
}

const claimOf = (
  brief: Brief,
  attempt: Attempt | undefined,
  authors: ReadonlyMap<number, Author>,
): Omit<Claim, 'basis' | 'odd' | 'checks' | 'verdicts' | 'notes'> => ({
  briefId: brief.id,
  key: brief.key,
  title: brief.title,
  status: brief.status,
  attempts: brief.attempts,
  by: attempt === undefined ? null : (authors.get(attempt.agentId) ?? null),
  summary: attempt?.report?.summary ?? null,
  outputs: attempt?.outputs ?? [],
  startCommit: brief.startCommit,
  commit: brief.branchCommit,
  checkedIn: attempt?.checkedIn ?? null,
  contradiction: attempt?.contradiction ?? null,
})
