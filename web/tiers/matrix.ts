import { JointVerdict } from '../../src/playbooks/tiered/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { Verdict } from '../../src/work/verdicts/contract.ts'
import type { Inspection } from '../queries.ts'
import { documentsBelow, type ParsedDocument } from './documents.ts'
import type { Squad, Team } from './team.ts'

export type MatrixRow =
  | { readonly kind: 'squad'; readonly squad: Squad; readonly joint: ParsedDocument<JointVerdict> | null }
  | {
      readonly kind: 'slice'
      readonly squad: Squad
      readonly task: HeldBrief
      /** By attempt. */
      readonly verdicts: ReadonlyMap<number, Verdict>
    }

export interface Matrix {
  readonly rows: readonly MatrixRow[]
  /** The newest attempts that have a verdict. */
  readonly attempts: readonly number[]
  /** Verdicts other than pass, newest first. */
  readonly faults: readonly { readonly task: HeldBrief; readonly verdict: Verdict }[]
  readonly verified: number
}

const maxAttempts = 8

/** Builds a table of slices and attempts, squad by squad; dropped slices without a verdict are left out. */
export function matrixOf(inspection: Pick<Inspection, 'verdicts' | 'artifacts'>, team: Team): Matrix {
  const byBrief = Map.groupBy(inspection.verdicts, (verdict) => verdict.briefId)
  const joints = documentsBelow(inspection, 'joint_verdict/', JointVerdict)
  const rows: MatrixRow[] = []
  const attempts = new Set<number>()
  const faults: { task: HeldBrief; verdict: Verdict }[] = []
  let verified = 0
  for (const squad of team.streams.flatMap((stream) => stream.squads)) {
    if (squad.tasks.length === 0) continue
    rows.push({ kind: 'squad', squad, joint: joints.get(squad.ref) ?? null })
    for (const task of squad.tasks) {
      const own = byBrief.get(task.id) ?? []
      if (task.status === 'cancelled' && own.length === 0) continue
      if (own.length > 0) verified += 1
      rows.push({ kind: 'slice', squad, task, verdicts: new Map(own.map((verdict) => [verdict.attempt, verdict])) })
      for (const verdict of own) {
        attempts.add(verdict.attempt)
        if (verdict.verdict !== 'pass') faults.push({ task, verdict })
      }
    }
  }
  return {
    rows,
    attempts: [...attempts].toSorted((a, b) => a - b).slice(-maxAttempts),
    faults: faults.toSorted((a, b) => b.verdict.at.localeCompare(a.verdict.at)),
    verified,
  }
}
