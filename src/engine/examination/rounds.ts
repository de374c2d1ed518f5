import type { FileChange } from '../../repositories/port.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import type { CheckResult } from '../../work/evidence/record.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { EngineDeps } from '../deps.ts'
import type { WitnessChanges } from '../witnesses/find.ts'
import { checkAgain } from './again.ts'
import { checkBaseWitnesses } from './base-witnesses.ts'
import { checkBaseline, checkBefore } from './before.ts'
import { type FinishedWork, isCheap, type Scene } from './place.ts'

export interface CheckedRounds {
  /** The result with all rounds. */
  readonly result: CheckResult
  readonly odd: readonly Odd[]
  /** Why the evidence does not replace a verifier; null: it does. */
  readonly needsVerifier: string | null
}

/** Looks again, in other surroundings, at evidence that holds for the delivered work. */
export async function checkRounds(
  deps: EngineDeps,
  work: FinishedWork,
  { result, scene }: { result: CheckResult; scene: Scene | null },
  { changes, ...found }: WitnessChanges & { readonly changes: readonly FileChange[] },
): Promise<CheckedRounds> {
  const { brief } = work.claimed
  if (brief.kind !== 'work' || !isFinished(work, result)) return { result, odd: [], needsVerifier: null }
  if (scene === null) {
    const { further, ...before } = await checkUnverified(deps, work, null, { result, changes })
    return { result: { ...result, further }, ...before }
  }
  const held = result.findings.filter(({ passed }) => passed)
  const bent = await checkBaseWitnesses(deps, work, scene, held, found)
  // Commands that have just held in another checkout of the same work were looked at twice, but for new tests.
  const isRepeated = bent !== null && bent.odd.length === 0 && found.newTests.length === 0
  const second = isRepeated ? null : await checkAgain(deps, work, scene, held)
  const odd = [...(bent?.odd ?? []), ...(second?.odd ?? [])]
  const further = [...(bent?.findings ?? []), ...(second?.findings ?? [])]
  if (second !== null && second.failed.length > 0) {
    const failed = new Map(second.failed.map((finding) => [finding.item, finding]))
    const findings = result.findings.map((finding) => failed.get(finding.item) ?? finding)
    return { result: { ...result, findings, further }, odd, needsVerifier: null }
  }
  const before = await checkUnverified(deps, work, scene, { result, changes })
  return {
    result: { ...result, further: [...further, ...before.further] },
    odd: [...odd, ...before.odd],
    needsVerifier: before.needsVerifier,
  }
}

/**
 * Reports whether work that began with files of others would be done by its evidence alone, and whether its author or
 * the operator wants it so.
 */
export function mayNeedVerifier(run: Run, brief: Brief): 'yes' | 'wants none' | 'has one' {
  // A brief that has neither a repository nor a mission's workspace begins in an empty directory.
  const hasFiles = run.repository !== null || (run.configuration.workspace ?? null) !== null
  // A repair begins with evidence that does not hold.
  if (!hasFiles || brief.kind !== 'work' || brief.verify !== 'none' || brief.repairs !== null) return 'has one'
  return brief.verifyFixed || run.configuration.verify === 'none' ? 'wants none' : 'yes'
}

/** Other work is sent back anyway. Of a part, the evidence that holds counts. */
const isFinished = ({ collected }: FinishedWork, { findings }: CheckResult): boolean =>
  collected.classified.outcome === 'partial_output' || findings.every(({ passed }) => passed)

/**
 * Finds out whether evidence alone can decide about work that no verifier is to judge. Evidence that held before proves
 * nothing about the work; where the operator wants no verifier all the same, a line says so.
 */
async function checkUnverified(
  deps: EngineDeps,
  work: FinishedWork,
  scene: Scene | null,
  { result, changes }: { result: CheckResult; changes: readonly FileChange[] },
): Promise<Pick<CheckedRounds, 'odd' | 'needsVerifier'> & { further: NonNullable<CheckResult['further']> }> {
  const { run, brief } = work.claimed
  const may = mayNeedVerifier(run, brief)
  if (may === 'has one') return { odd: [], needsVerifier: null, further: [] }
  const isOff = may === 'wants none'
  const { held, findings } =
    scene === null || run.repository === null
      ? await checkBaseline(deps, work, result)
      : // A line is worth no long wait.
        await checkBefore(deps, work, scene, { result, changes, mayRun: !isOff || isCheap(scene) })
  if (!held) return { odd: [], needsVerifier: null, further: findings }
  const why = work.collected.isEmpty === true ? 'nothing was changed' : 'its evidence held before the work began'
  if (!isOff) return { odd: [], needsVerifier: why, further: findings }
  const text = `No verifier has looked, and ${why}`
  return { odd: [{ kind: 'unchanged', path: null, text }], needsVerifier: null, further: findings }
}
