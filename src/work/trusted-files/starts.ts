import type { Runtime } from '../../adapters/runtime/port.ts'
import type { Team } from '../../team/contract.ts'
import { tierNames } from '../../team/contract.ts'
import type { Evidence } from '../evidence/contract.ts'
import type { PlanDocument } from '../plans/contract.ts'
import { automaticSetup } from '../repository-settings/contract.ts'
import type { FileStart } from './contract.ts'

type Runtimes = ReadonlyMap<string, Runtime>
type Found = Pick<FileStart, 'text' | 'where'>

/** Lists everything that a plan and the team in it start, each text once, in the order of the file. */
export function startsOfPlan(plan: PlanDocument, team: Team | null, runtimes: Runtimes): FileStart[] {
  const { setup, evidence, runtimeOptions, verifierOptions = {}, briefs } = plan
  return counted([
    ...setupOf(setup),
    ...evidence.flatMap((each) => evidenceOf(each, '')),
    ...optionsOf(runtimeOptions, '', runtimes),
    ...optionsOf(verifierOptions, 'verifier, ', runtimes),
    ...briefs.flatMap((brief) => {
      const where = `brief "${brief.key}", `
      return [
        ...(brief.evidence ?? []).flatMap((each) => evidenceOf(each, where)),
        ...optionsOf(brief.runtimeOptions ?? {}, where, runtimes),
      ]
    }),
    ...inTeam(team, 'team, ', runtimes),
  ])
}

/** Lists everything that a team starts. A file that cannot be read starts nothing, because no run accepts it. */
export const startsOfTeam = (team: Team | null, runtimes: Runtimes): FileStart[] => counted(inTeam(team, '', runtimes))

function inTeam(team: Team | null, where: string, runtimes: Runtimes): Found[] {
  if (team === null) return []
  return [
    ...setupOf(team.setup, where),
    ...optionsOf(team.runtime.options, `${where}coding agent, `, runtimes),
    ...tierNames.flatMap((tier) => optionsOf(team.tiers[tier].options ?? {}, `${where}${tier}, `, runtimes)),
  ]
}

const setupOf = (setup: string | undefined, where = ''): Found[] =>
  setup === undefined || setup === automaticSetup ? [] : [{ where: `${where}setup`, text: setup }]

function evidenceOf(evidence: Evidence, where: string): Found[] {
  if (evidence.kind === 'command') return [{ where: `${where}evidence`, text: evidence.run }]
  return evidence.kind === 'http' ? [{ where: `${where}evidence, server`, text: evidence.start }] : []
}

/** Asks every runtime, whichever the file names: the command line may choose another. */
const optionsOf = (options: Record<string, unknown>, where: string, runtimes: Runtimes): Found[] =>
  [...runtimes.values()].flatMap((runtime) =>
    (runtime.startsOf?.(options) ?? []).map((each) => ({ where: `${where}${each.where}`, text: each.text })),
  )

/** A text that an anchor of YAML repeats ten thousand times is listed once. */
function counted(found: readonly Found[]): FileStart[] {
  const starts = new Map<string, FileStart>()
  for (const { text, where } of found) {
    const known = starts.get(text)
    starts.set(text, known === undefined ? { text, where, count: 1 } : { ...known, count: known.count + 1 })
  }
  return [...starts.values()]
}
