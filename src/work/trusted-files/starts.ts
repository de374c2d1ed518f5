import type { Runtime } from '../../adapters/runtime/port.ts'
import type { Team } from '../../team/contract.ts'
import { tierNames } from '../../team/contract.ts'
import type { Evidence } from '../evidence/contract.ts'
import type { PlanDocument } from '../plans/contract.ts'
import { automaticSetup } from '../repository-settings/contract.ts'
import { largePlanDefault } from '../runs/contract.ts'
import type { FileStart } from './contract.ts'

type Runtimes = ReadonlyMap<string, Runtime>
type Found = Pick<FileStart, 'text' | 'where'>

/**
 * Lists everything that a plan and the team inside it start, and the places of this machine that they open to agents,
 * each text once, in the order of the file.
 */
export const startsOfPlan = (plan: PlanDocument, team: Team | null, runtimes: Runtimes): FileStart[] =>
  counted(inPlan(plan, team, runtimes))

/** Lists everything that a team starts. A file that cannot be read (null) starts nothing, because no run accepts it. */
export const startsOfTeam = (team: Team | null, runtimes: Runtimes): FileStart[] => counted(inTeam(team, '', runtimes))

function* inPlan(plan: PlanDocument, team: Team | null, runtimes: Runtimes): Generator<Found> {
  const { repo, workspace, setup, evidence, runtimeOptions, verifierOptions = {}, briefs, largePlan = 0 } = plan
  if (repo !== undefined) yield { where: 'repo', text: `work in the repository ${repo}` }
  if (workspace !== undefined) yield { where: 'workspace', text: `work in the workspace ${workspace}` }
  // The number above which the operator is asked is the operator's to raise.
  if (largePlan > largePlanDefault)
    yield { where: 'large_plan', text: `start up to ${largePlan} briefs that an agent plans, without a question` }
  yield* setupOf(setup, '')
  yield* evidenceOf(evidence, '')
  yield* optionsOf(runtimeOptions, '', runtimes)
  yield* optionsOf(verifierOptions, 'verifier, ', runtimes)
  for (const brief of briefs) {
    const where = `brief "${brief.key}", `
    yield* evidenceOf(brief.evidence ?? [], where)
    yield* optionsOf(brief.runtimeOptions ?? {}, where, runtimes)
  }
  yield* inTeam(team, 'team, ', runtimes)
}

function* inTeam(team: Team | null, where: string, runtimes: Runtimes): Generator<Found> {
  if (team === null) return
  yield* setupOf(team.setup, where)
  yield* optionsOf(team.runtime.options, `${where}coding agent, `, runtimes)
  const { path, registry } = team.talent
  if (path !== null) yield { where: `${where}talent.path`, text: `give the texts in ${path} to agents` }
  if (registry !== null) yield { where: `${where}talent.registry`, text: `read the registry ${registry}` }
  for (const tier of tierNames) yield* optionsOf(team.tiers[tier].options ?? {}, `${where}${tier}, `, runtimes)
}

function* setupOf(setup: string | undefined, where: string): Generator<Found> {
  if (setup !== undefined && setup !== automaticSetup) yield { where: `${where}setup`, text: setup }
}

function* evidenceOf(evidence: readonly Evidence[], where: string): Generator<Found> {
  for (const each of evidence) {
    if (each.kind === 'command') yield { where: `${where}evidence`, text: each.run }
    if (each.kind === 'http') yield { where: `${where}evidence, server`, text: each.start }
  }
}

/** Asks every runtime, whichever the file names: the command line may choose another. */
function* optionsOf(options: Record<string, unknown>, where: string, runtimes: Runtimes): Generator<Found> {
  for (const runtime of runtimes.values())
    for (const each of runtime.startsOf?.(options) ?? []) yield { where: `${where}${each.where}`, text: each.text }
}

/** A text that an anchor of YAML repeats a million times is listed once. */
function counted(found: Iterable<Found>): FileStart[] {
  const starts = new Map<string, FileStart>()
  for (const { text, where } of found) {
    const known = starts.get(text)
    if (known === undefined) starts.set(text, { text, where, count: 1 })
    else known.count += 1
  }
  return [...starts.values()]
}
