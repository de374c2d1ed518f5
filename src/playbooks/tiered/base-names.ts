import { slug } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'

/** Names of the parts, briefs and documents of a tiered run. */

export const runPart = 'run'
export const wavePart = (wave: number): string => `wave:${wave}`
export const workstreamPart = (workstream: string): string => `ws:${workstream}`
export const squadPart = (workstream: string, squad: string): string => `sq:${workstream}/${squad}`

/** Returns the names in the key of a squad's part: `sq:api/db` → workstream `api`, squad `db`. */
export function squadNames(part: string): { workstream: string; squad: string } {
  const [workstream = '', squad = ''] = part.slice('sq:'.length).split('/')
  return { workstream, squad }
}

export function meshPart(wave: number, path: readonly string[], domain: string, revision: number): string {
  const owner = path.includes('t2') ? 't2' : 't3'
  return `mesh:${wave}:${owner}:${slug(domain) || 'domain'}${revision === 1 ? '' : `:r${revision}`}`
}

export const isWorkstreamPart = (key: string): boolean => key.startsWith('ws:')
export const idOfWorkstream = (key: string): string => key.slice('ws:'.length)

export const keys = {
  plan: 't1-plan',
  critique: 't1-critique',
  lead: 't2-lead',
  summary: 't2-summary',
  specialist: (workstream: string): string => `t2-spec:${workstream}`,
  conflict: (wave: number, cycle: number, workstream: string): string => `t2-conflict:${wave}:${cycle}:${workstream}`,
  synthesis: (wave: number): string => `t2-synth:${wave}`,
  acceptArchitecture: (wave: number): string => `t1-accept:architecture:${wave}`,
  acceptFinal: 't1-accept:final',
  squadPlan: (workstream: string, squad: string): string => `t3-plan:${workstream}:${squad}`,
  squadMesh: (workstream: string, squad: string): string => `t3-mesh:${workstream}:${squad}`,
  verdict: (workstream: string, squad: string): string => `t3-verdict:${workstream}:${squad}`,
  task: (workstream: string, squad: string, task: string): string => `t4:${workstream}:${squad}:${task}`,
} as const

export const documents = {
  draft: 't1_plan_draft',
  plan: 't1_plan',
  boundaries: 'domain_boundaries',
  assumptions: 'shared_assumptions',
  proposal: (workstream: string): string => `architecture_proposal/${workstream}`,
  conflicts: (wave: number): string => `conflicts/${wave}`,
  architecture: 'canonical_architecture',
  acceptance: (scope: string): string => `acceptance/${scope}`,
  tasks: (workstream: string, squad: string): string => `tasks/${workstream}/${squad}`,
  verdict: (workstream: string, squad: string): string => `joint_verdict/${workstream}/${squad}`,
  integration: 'integration_summary',
} as const

/** Returns the scope of a task, as verdicts name it: the end of its key, after the squad. */
export const scopeOf = ({ key }: Pick<Brief, 'key'>): string =>
  key.startsWith('t4:') ? key.split(':').slice(3).join(':') : key

const revisionEnding = /-r\d+$/
export const isRevision = (id: string): boolean => revisionEnding.test(id)

/** Returns the id of a revision: `api` → `api-r2`, `api-r2` → `api-r3`. */
export function nextRevision(id: string, revision: number): string {
  const base = id.replace(revisionEnding, '').slice(0, 52)
  return `${base}-r${revision}`
}

interface SquadName {
  readonly workstream: string
  readonly squad: string
}

/** Gives each squad a new suffix instead of its old one, and a number where the name is taken: `db-r2`, `db-2-r2`. */
export function renamedSquads<Ref extends SquadName>(
  refs: readonly Ref[],
  ending: string,
  used: readonly SquadName[] = [],
): Ref[] {
  const taken = new Set(used.map(({ workstream, squad }) => squadPart(workstream, squad)))
  return refs.map((ref) => {
    const base = ref.squad.replace(revisionEnding, '').slice(0, 48)
    let squad = `${base}-${ending}`
    for (let turn = 2; taken.has(squadPart(ref.workstream, squad)); turn++) squad = `${base}-${turn}-${ending}`
    taken.add(squadPart(ref.workstream, squad))
    return { ...ref, squad }
  })
}

/** Returns the key itself, or with a number appended where it is taken. */
export function unusedKey(first: string, taken: ReadonlySet<string>): string {
  let key = first
  for (let turn = 2; taken.has(key); turn++) key = `${first}:${turn}`
  return key
}
