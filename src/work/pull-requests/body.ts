import type { ReadTx } from '../../db/port.ts'
import { oneLine, shorten } from '../../kernel/text.ts'
import type { BranchParts, Playbook } from '../../playbooks/contract.ts'
import { newestVersion } from '../artifacts/store.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { workChanges } from '../briefs/changes.ts'
import { isMet } from '../briefs/states.ts'
import { listBriefs } from '../briefs/store.ts'
import { describeEvidence } from '../evidence/contract.ts'
import { oddLines, proofWarnings } from '../evidence/warnings.ts'
import type { Part } from '../parts/contract.ts'
import { listParts } from '../parts/store.ts'
import { listProofs } from '../proofs/store.ts'
import type { Run } from '../runs/contract.ts'

/** Describes a result for the reader of its pull request: the goal, the claims of the agents, the proofs, the merged briefs, and the verdicts on them. */
export async function bodyOf(tx: ReadTx, playbook: Playbook, run: Run): Promise<string> {
  const { branches } = playbook
  const merged = (await listBriefs(tx, run.id)).filter(isMerged)
  const parts = (await listParts(tx, run.id)).filter(({ status }) => status !== 'cancelled')
  const done =
    branches !== undefined && parts.some(({ key }) => branches.nameOf(key) !== null)
      ? [`## ${branches.heading}\n\n${await partTexts(tx, branches, parts, merged)}`, ...repairs(merged)].join('\n\n')
      : `## Briefs\n\n${listed(merged)}`
  const warnings = (await proofWarnings(tx, run)).map((warning) => `**${warning}**`)
  const odd = [...(await oddLines(tx, run)), ...(await workChanges(tx, playbook, run.id))]
  const shown = odd.length === 0 ? [] : [`## Odd changes\n\n${odd.map((line) => `- ${quoted(line)}`).join('\n')}`]
  const texts = [...(await claimTexts(tx, merged)), ...(await proofTexts(tx, run)), ...warnings, ...shown, done]
  return [run.goalAnchor, ...texts, `Run ${run.id}`].join('\n\n')
}

/** Quotes the summaries of the agents: a reviewer wants to know the change in their words, as a claim. */
async function claimTexts(tx: ReadTx, merged: readonly Brief[]): Promise<string[]> {
  const lines: string[] = []
  for (const { key, attemptId } of merged.slice(0, mostListed)) {
    const summary = attemptId === null ? undefined : (await findAttempt(tx, attemptId))?.report?.summary
    if (summary !== undefined) lines.push(`- ${key}: ${quoted(shorten(oneLine(summary), 500))}`)
  }
  if (merged.length > mostListed) lines.push(`- and ${merged.length - mostListed} more`)
  return lines.length === 0 ? [] : [`## In the words of the agents\n\n${lines.join('\n')}`]
}

/** Lists the evidence that was checked on the merged result. */
async function proofTexts(tx: ReadTx, run: Run): Promise<string[]> {
  const proof = (await listProofs(tx, run.id)).findLast(({ status }) => status !== 'cancelled')
  if (proof === undefined || proof.findings.length === 0) return []
  const lines = proof.findings.slice(0, mostListed).map(({ evidence, passed, detail }) => {
    const what = quoted(shorten(oneLine(describeEvidence(evidence)), 300))
    return `- ${passed ? '✓' : '✗'} ${what} ${quoted(shorten(oneLine(detail), 300))}`
  })
  if (proof.findings.length > mostListed) lines.push(`- and ${proof.findings.length - mostListed} more`)
  return [`## Proofs on ${proof.head.slice(0, 12)}\n\n${lines.join('\n')}`]
}

/** Quotes a line with text of an agent, so that it has no links, mentions or markup. */
function quoted(line: string): string {
  const fence = '`'.repeat(Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)) + 1)
  return fence.length === 1 ? `\`${line}\`` : `${fence} ${line} ${fence}`
}

/** A brief that was cancelled while git merged it has a commit, but its work is not in the result. */
const isMerged = ({ kind, branchCommit, status }: Brief): boolean =>
  kind === 'work' && branchCommit !== null && isMet(status)

/** Lists the repairs of a merged result, which belong to no part. */
function repairs(merged: readonly Brief[]): string[] {
  const all = merged.filter((brief) => brief.repairs !== null)
  return all.length === 0 ? [] : [`## Repairs\n\n${listed(all)}`]
}

/** Maximum number of briefs, and of parts, in the text. */
const mostListed = 50

function listed(briefs: readonly Brief[], indent = ''): string {
  const lines = briefs
    .slice(0, mostListed)
    .map(({ key, title, id }) => `${indent}- ${key}: ${shorten(title, 120)} (${id})`)
  if (briefs.length > lines.length) lines.push(`${indent}- and ${briefs.length - lines.length} more`)
  return lines.join('\n')
}

async function partTexts(
  tx: ReadTx,
  branches: BranchParts,
  parts: readonly Part[],
  merged: readonly Brief[],
): Promise<string> {
  const all = parts.flatMap((part) => {
    const id = branches.nameOf(part.key)
    return id === null ? [] : [{ id, part }]
  })
  const texts: string[] = []
  for (const { id, part } of all.slice(0, mostListed)) {
    const { name, domain } = part.data
    const called = [typeof name === 'string' ? name : id, typeof domain === 'string' ? `(${domain})` : '']
    const verdicts = await verdictsOn(
      tx,
      branches,
      parts.filter(({ parent }) => parent === part.key),
    )
    const tasks = merged.filter((brief) => branches.partOf(brief) === part.key)
    texts.push(
      [`### ${id}: ${shorten(called.filter(Boolean).join(' '), 200)}`, ...verdicts, listed(tasks)]
        .filter((text) => text !== '')
        .join('\n\n'),
    )
  }
  if (all.length > texts.length) texts.push(`And ${all.length - texts.length} more ${branches.heading.toLowerCase()}.`)
  return texts.join('\n\n')
}

/** Returns the last verdict on each part below. */
async function verdictsOn(tx: ReadTx, branches: BranchParts, below: readonly Part[]): Promise<string[]> {
  const said: string[] = []
  for (const { runId, key } of below.slice(0, mostListed)) {
    const content = (await newestVersion(tx, runId, branches.verdictDocument(key)))?.content ?? null
    if (content !== null) said.push(branches.verdictText(key, JSON.parse(content)))
  }
  return said
}
