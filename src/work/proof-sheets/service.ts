import type { Db, ReadTx } from '../../db/port.ts'
import { shorten } from '../../kernel/text.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { findDocuments } from '../artifacts/store.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import { type Check, describeEvidence, type Evidence, expectationsOf } from '../evidence/contract.ts'
import type { GateRow } from '../gates/contract.ts'
import { listGatesOfRun } from '../gates/store.ts'
import { showNote } from '../notes/contract.ts'
import { listParts } from '../parts/store.ts'
import type { ProofFinding } from '../proofs/contract.ts'
import { listProofs } from '../proofs/store.ts'
import { findPullRequestOf } from '../pull-requests/store.ts'
import { listRepeats } from '../repeats/store.ts'
import type { Run } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'
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

export interface ProofSheetDeps {
  db: Db
  playbooks: ReadonlyMap<string, Playbook>
}

export type ProofSheets = ReturnType<typeof createProofSheets>

const shownOutput = 1_000
const shownProofs = 10
const shownRepeats = 5
const shownGates = 200
const shownParts = 200

export function createProofSheets({ db, playbooks }: ProofSheetDeps) {
  return {
    /** Derives the sheet from the rows of a run, in a fixed number of queries however many claims it shows. */
    show: (prefix: string, { offset, limit }: { offset: number; limit: number }): Promise<ProofSheet> =>
      db.read(async (tx) => {
        const run = await requireRun(tx, prefix)
        const merged = run.repository === null ? null : ((await findPullRequestOf(tx, run.id))?.mergedCommit ?? null)
        const lines = await listClaimLines(tx, run.id)
        const proofs = await listProofs(tx, run.id)
        const repeats = await listRepeats(tx, run.id, shownRepeats)
        const stated = stateStanding({
          run,
          merged,
          lines,
          tallies: await countChecks(tx, run.id),
          verdicts: await listVerdictLines(tx, run.id),
          unsettled: await listUnsettledKeys(tx, run.id),
          cancelled: await listCancelledKeys(tx, run.id),
          proofs,
          repeat: repeats.find(({ status }) => status === 'passed' || status === 'failed'),
        })
        const page = lines.slice(offset, offset + limit)
        return {
          run: headOf(run, merged, stated),
          statement: stated.statement,
          isProven: stated.isProven,
          gaps: stated.gaps,
          proofs: proofs
            .toReversed()
            .slice(0, shownProofs)
            .map(({ gate: _, runId: __, findings, ...proof }) => ({ ...proof, findings: findings.map(findingOf) })),
          repeats: repeats.map(({ runId: _, findings, ...repeat }) => ({
            ...repeat,
            findings: findings.map(findingOf),
          })),
          gates: (await listGatesOfRun(tx, run.id)).slice(-shownGates).map(gateOf),
          acceptances: await listAcceptances(tx, playbooks.get(run.playbook), run),
          claims: await claimsOf(tx, page, stated),
          total: lines.length,
          next: offset + limit < lines.length ? offset + limit : null,
        }
      }),
  }
}

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

const wordsOf = (evidence: Evidence): Pick<SheetCheck, 'what' | 'expects'> => ({
  what: describeEvidence(evidence),
  expects: expectationsOf(evidence),
})

const findingOf = (finding: ProofFinding): SheetFinding => ({
  ...finding,
  output: shorten(finding.output, shownOutput),
  ...wordsOf(finding.evidence),
})

const checkOf = ({ runId: _, briefId: __, attemptId: ___, ...check }: Check): SheetCheck => ({
  ...check,
  output: shorten(check.output, shownOutput),
  ...wordsOf(check.evidence),
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
