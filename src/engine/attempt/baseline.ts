import type { Db } from '../../db/port.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import { findAttemptOf } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { type Evidence, startsProcesses } from '../../work/evidence/contract.ts'
import { type Finding, recordBaseline } from '../../work/evidence/record.ts'
import { listBaseline } from '../../work/evidence/store.ts'
import type { Workspace } from '../../workspaces/port.ts'
import { checkItem } from '../evidence/check.ts'
import { type Found, seen } from '../evidence/finding.ts'

export interface BaselineParts {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Ids
}

/**
 * Records which evidence of a brief holds in a mission's workspace, just before its first agent works there: others have
 * left files in it. In a repository, the commit that the work began with tells the same later. Commands are not run, so
 * that evidence with one is left alone.
 */
export async function takeBaseline(
  { db, clock, ids }: BaselineParts,
  { brief, attempt }: { readonly brief: Brief; readonly attempt: Attempt },
  workspace: Workspace,
): Promise<void> {
  const { evidence } = brief
  if (brief.kind !== 'work' || brief.verify !== 'none' || brief.remainderOf !== null || evidence.length === 0) return
  if (evidence.some(({ kind }) => startsProcesses(kind)) || !(await isBeginning(db, brief, attempt))) return
  const findings: Finding[] = []
  for (const [item, each] of evidence.entries()) {
    const found = await lookAt(each, workspace, clock)
    findings.push({ item, kind: each.kind, evidence: each, ...found, durationMs: 0, round: 'before' })
  }
  await db.write([`run:${brief.runId}`], (tx) => recordBaseline({ tx, ids }, brief, attempt, findings))
}

/** An attempt whose agent never started has left nothing behind. */
const isBeginning = (db: Db, { id }: Brief, { fence }: Attempt): Promise<boolean> =>
  db.read(async (tx) => {
    if ((await listBaseline(tx, id)).length > 0) return false
    for (let earlier = 1; earlier < fence; earlier++)
      if (((await findAttemptOf(tx, id, earlier))?.startedAt ?? null) !== null) return false
    return true
  })

async function lookAt(evidence: Evidence, workspace: Workspace, clock: Clock): Promise<Found> {
  if (evidence.kind !== 'artifact')
    return checkItem(evidence, {
      evidence: [],
      outputs: [],
      files: workspace,
      workspace,
      mayRunCommands: false,
      clock,
    })
  if (evidence.path === undefined) return seen(true, 'it names no file: the workspace may have had the outputs before')
  const file = await workspace.read(evidence.path, 0)
  return file === null
    ? seen(false, `${evidence.path} was not there`)
    : seen(true, `${evidence.path} was there`, { sha256: file.sha256 })
}
