import { shorten } from '../../kernel/text.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { TierPlan } from './contract.ts'
import { faultsOfProofs } from './base-evidence.ts'
import { isRevision, nextRevision } from './base-names.ts'

/** Returns all faults of a plan, so that its author can correct them in one attempt. */
export function faultsOfPlan(run: Pick<Run, 'id' | 'goalAnchor'>, plan: TierPlan): string[] {
  return [
    ...(plan.run_id === run.id ? [] : [`run_id must be ${run.id}`]),
    ...(plan.goal_anchor === run.goalAnchor
      ? []
      : [`goal_anchor must be the goal, word for word: ${JSON.stringify(shorten(run.goalAnchor, 500))}`]),
    ...faultsOfMultiplier(plan),
    ...plan.workstreams.flatMap(({ id, tier_path }) => faultsOfPath(id, tier_path)),
    ...faultsOfNames(plan),
    ...plan.workstreams.flatMap(({ id, evidence_required }) => faultsOfProofs(`workstream "${id}"`, evidence_required)),
    ...faultsOfGroups(plan),
  ]
}

/** Complex work gets twice the retry budget. */
function faultsOfMultiplier({ complexity, retry_budget_multiplier: given }: TierPlan): string[] {
  const due = complexity === 'high' ? 2 : 1
  return given === due ? [] : [`retry_budget_multiplier must be ${due} where complexity is ${complexity}, not ${given}`]
}

function faultsOfPath(id: string, path: readonly string[]): string[] {
  const faults: string[] = []
  const addFault = (fault: string): void => void faults.push(`workstream "${id}": ${fault}`)
  if (path.at(-1) !== 't5') addFault('tier_path must end with t5')
  else if (path.at(-2) !== 't4') addFault('tier_path must have t4 before t5')
  if (path.includes('t1')) addFault('tier_path must begin below t1')
  if (new Set(path).size < path.length) addFault(`tier_path names a tier twice: ${path.join(', ')}`)
  else if (path.toSorted().join() !== path.join()) addFault(`tier_path must go downwards: ${path.join(', ')}`)
  return faults
}

/** A replanned workstream is named after the one it replaces, and must not be mistaken for another. */
function faultsOfNames({ workstreams }: TierPlan): string[] {
  const ids = [...new Set(workstreams.map(({ id }) => id))]
  const plain = ids.filter((id) => !isRevision(id))
  const alike = [...Map.groupBy(plain, (id) => nextRevision(id, 2)).values()].filter(({ length }) => length > 1)
  return [
    ...ids.filter(isRevision).map((id) => `workstream "${id}": an id must not end with -r and a number`),
    ...alike.map(([first, second]) => `"${first}" and "${second}" must differ in their first 52 characters`),
  ]
}

function faultsOfGroups({ workstreams, parallelism: { groups, sequence } }: TierPlan): string[] {
  const faults: string[] = []
  const ids = new Set<string>()
  for (const { id } of workstreams) {
    if (ids.has(id)) faults.push(`two workstreams have the id "${id}"`)
    ids.add(id)
  }
  const placed = new Map<string, string[]>()
  for (const [group, members] of Object.entries(groups)) {
    if (members.length === 0) faults.push(`group "${group}" is empty`)
    const listed = new Set(members)
    if (listed.size < members.length)
      faults.push(`group "${group}" lists a workstream twice: ${twiceIn(members).slice(0, 5).join(', ')}`)
    for (const id of listed) {
      if (!ids.has(id)) faults.push(`group "${group}" lists "${id}", which is not a workstream`)
      const found = placed.get(id)
      if (found === undefined) placed.set(id, [group])
      else found.push(group)
    }
  }
  for (const { id, parallel_group: group } of workstreams) {
    const found = placed.get(id) ?? []
    if (found.length === 0) faults.push(`workstream "${id}" is in no group`)
    else if (found.length > 1) faults.push(`workstream "${id}" is in several groups: ${found.join(', ')}`)
    else if (found[0] !== group)
      faults.push(`workstream "${id}" has parallel_group "${group}" but is listed in "${found[0]}"`)
  }
  const seen = new Set<string>()
  for (const group of sequence) {
    if (!Object.hasOwn(groups, group)) faults.push(`sequence lists "${group}", which is not a group`)
    if (seen.has(group)) faults.push(`sequence lists "${group}" twice`)
    seen.add(group)
  }
  for (const group of Object.keys(groups)) if (!seen.has(group)) faults.push(`sequence leaves out the group "${group}"`)
  return faults
}

function twiceIn(names: readonly string[]): string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) (seen.has(name) ? twice : seen).add(name)
  return [...twice]
}

const usual = ['t2,t3,t4,t5', 't3,t4,t5', 't4,t5']
export const isUsualPath = (path: readonly string[]): boolean => usual.includes(path.join())
