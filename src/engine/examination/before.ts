import { posix } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import type { FileChange } from '../../repositories/port.ts'
import type { Check, Evidence } from '../../work/evidence/contract.ts'
import type { CheckResult, Finding } from '../../work/evidence/record.ts'
import { listBaseline } from '../../work/evidence/store.ts'
import type { EngineDeps } from '../deps.ts'
import type { Found } from '../evidence/finding.ts'
import type { Checks } from '../../work/repository-settings/resolve.ts'
import {
  atCommit,
  checkAgainIn,
  type FinishedWork,
  isOfProcess,
  openPlace,
  type Place,
  type Scene,
  type WorkToCheck,
} from './place.ts'

export interface HeldBefore {
  /** Whether everything that holds now held before: then it proves nothing about the work. */
  readonly held: boolean
  readonly findings: readonly Finding[]
}

/**
 * Looks at evidence on the commit that the work began with, the cheapest items first, until one does not hold there.
 * Results of commands are kept for other work that begins with the same commit. `mayRun`: whether commands may run.
 */
export async function checkBefore(
  deps: EngineDeps,
  work: FinishedWork,
  scene: Scene,
  { result, changes, mayRun }: { result: CheckResult; changes: readonly FileChange[]; mayRun: boolean },
): Promise<HeldBefore> {
  const { brief } = work.claimed
  if (work.collected.isEmpty === true) return { held: true, findings: [] }
  const { startCommit: start } = brief
  const held = result.findings.filter(({ passed }) => passed)
  if (start === null || held.length === 0) return { held: false, findings: [] }
  const items = held.toSorted((one, other) => cost(one.evidence) - cost(other.evidence))
  const added = new Set(
    changes.filter(({ status }) => status === 'added' || status === 'moved').map(({ path }) => path),
  )
  if (items.some(({ evidence }) => pathsOf(evidence, result).some((path) => added.has(path))))
    return { held: false, findings: [] }
  const findings: Finding[] = []
  let place: Place | null = null
  const open = async (): Promise<Place> =>
    (place ??= await openPlace(deps, work, '.before', atCommit(scene.source, start), scene.checks))
  try {
    for (const item of items) {
      if (isOfProcess(item.evidence) && !mayRun) return { held: false, findings }
      const finding = await lookAt(deps, work, scene.checks, { item, start, open, result })
      findings.push(finding)
      if (!finding.passed) return { held: false, findings }
    }
    return { held: true, findings }
  } finally {
    await (place as Place | null)?.remove()
  }
}

/**
 * Compares evidence with what was recorded before the first agent of the brief worked in its mission's workspace. The
 * rest of a part began with the part. Nothing is known about evidence with a command, nor where others left no files.
 */
export async function checkBaseline(
  { db }: EngineDeps,
  { claimed: { brief } }: WorkToCheck,
  result: CheckResult,
): Promise<HeldBefore> {
  const held = result.findings.filter(({ passed }) => passed)
  const baseline = await db.read((tx) => listBaseline(tx, brief.remainderOf ?? brief.id))
  if (held.length === 0 || baseline.length === 0) return { held: false, findings: [] }
  const findings = held.map((item) => {
    const before = baseline.find(({ evidence }) => isDeepStrictEqual(evidence, item.evidence))
    return foundAtBaseline(item, before, result)
  })
  return { held: findings.every(({ passed }) => passed), findings }
}

function foundAtBaseline(item: Finding, before: Check | undefined, { outputs }: CheckResult): Finding {
  const common = { ...item, round: 'before', commitId: null, output: '', durationMs: 0 } as const
  if (before === undefined) return { ...common, passed: false, detail: 'not known', sha256: null }
  const { evidence, passed, detail, sha256 } = before
  if (evidence.kind === 'artifact' && evidence.path !== undefined && passed) {
    const path = posix.normalize(evidence.path)
    const now = outputs.find((output) => posix.normalize(output.path) === path)
    if (now?.sha256 !== sha256) return { ...common, passed: false, detail: `${path} was another file`, sha256 }
  }
  return { ...common, passed, detail, sha256 }
}

/** Files are read at once; a server takes as long as a command, and both may take minutes. */
const cost = ({ kind }: Evidence): number => ['artifact', 'file', 'schema', 'git', 'command', 'http'].indexOf(kind)

/** Returns the files whose content an item is about. */
function pathsOf(evidence: Evidence, { outputs }: CheckResult): string[] {
  if (evidence.kind === 'file' || evidence.kind === 'schema') return [evidence.path]
  if (evidence.kind !== 'artifact') return []
  return evidence.path === undefined ? outputs.map(({ path }) => path) : [evidence.path]
}

interface Looked {
  readonly item: Finding
  readonly start: string
  readonly open: () => Promise<Place>
  readonly result: CheckResult
}

async function lookAt(
  deps: EngineDeps,
  work: WorkToCheck,
  checks: Checks,
  { item, start, open, result }: Looked,
): Promise<Finding> {
  const { evidence } = item
  if (evidence.kind === 'artifact') return artifactBefore(item, await open(), result, start)
  const found = await foundBefore(deps, work, checks, { evidence, start, open })
  const { passed, detail, output, sha256, boxed, setup = null, durationMs = 0 } = found
  return { ...item, round: 'before', commitId: start, passed, detail, output, sha256, boxed, setup, durationMs }
}

/** Checks one item on the commit that work began with; the outcome of a command or a server is kept. */
export async function foundBefore(
  deps: EngineDeps,
  work: WorkToCheck,
  checks: Checks,
  { evidence, start, open }: Pick<Looked, 'start' | 'open'> & { evidence: Evidence },
): Promise<Found> {
  const look = async (): Promise<Found> =>
    (await checkAgainIn(deps, work, await open(), [{ item: 0, evidence }], { round: 'before', commitId: start }))
      .findings[0] as Finding
  const { repository } = work.claimed.run
  if (!isOfProcess(evidence) || deps.outcomes === undefined || repository === null) return look()
  const isOnHost = evidence.kind === 'command' && checks.host?.commands.includes(evidence.run) === true
  const { setup } = checks
  return deps.outcomes.find({ repository: repository.path, commit: start, setup, isOnHost, evidence }, look)
}

/** An output held before if the same content was there. */
async function artifactBefore(item: Finding, place: Place, result: CheckResult, start: string): Promise<Finding> {
  const common = { ...item, round: 'before', commitId: start, output: '', setup: null, durationMs: 0 } as const
  for (const path of pathsOf(item.evidence, result)) {
    const now = result.outputs.find((output) => output.path === path)
    const before = await place.files.read(path, 0)
    if (before === null || before.sha256 !== now?.sha256)
      return { ...common, passed: false, detail: `${path} was another file, or none`, sha256: before?.sha256 ?? null }
  }
  return { ...common, passed: true, detail: 'all outputs were there with the same content' }
}
