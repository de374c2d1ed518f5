import type { Bounds, Proposal, Task, TierPlan } from '../../../src/playbooks/tiered/contract.ts'
import type { Brief } from '../../../src/work/briefs/contract.ts'
import { snakeCase } from '../../../src/kernel/text.ts'
import type { Run } from '../../../src/work/runs/contract.ts'
import type { ResolvedTeam } from '../../../src/team/contract.ts'
import type { Ending } from './endings.ts'
import type { Play } from './play.ts'

export interface Stream {
  readonly id: string
  readonly path: readonly TierPlan['workstreams'][number]['tier_path'][number][]
  readonly group?: string
  readonly domain?: string
  readonly proof?: TierPlan['workstreams'][number]['evidence_required']
}

export const full = ['t2', 't3', 't4', 't5'] as const
export const medium = ['t3', 't4', 't5'] as const
export const simple = ['t4', 't5'] as const

export function aPlan(
  { run }: { run: Pick<Run, 'id' | 'goalAnchor'> },
  streams: readonly Stream[],
  fields: Partial<TierPlan> = {},
): TierPlan {
  const groups: Record<string, string[]> = {}
  for (const { id, group = 'A' } of streams) (groups[group] ??= []).push(id)
  return {
    run_id: run.id,
    goal_anchor: run.goalAnchor,
    complexity: 'low',
    retry_budget_multiplier: 1,
    workstreams: streams.map(({ id, path, group = 'A', domain = id, proof = [] }) => ({
      id,
      name: `The ${id}`,
      domain,
      tier_path: [...path],
      parallel_group: group,
      t2_specialist: null,
      notes: '',
      evidence_required: proof,
    })),
    parallelism: { groups, sequence: Object.keys(groups) },
    self_critique_summary: 'nothing is missing',
    ...fields,
  }
}

export const aTask = (id: string, fields: Partial<Task> = {}): Task => ({
  id,
  title: `Make ${id}`,
  scope: id,
  objective: `Write ${id}`,
  files: [`src/${id}.ts`],
  mode: 'swarm',
  depends_on: [],
  evidence_required: [],
  agent_personality: null,
  ...fields,
})

export const aProposal = (domain: string, squads: readonly string[] = ['core']): Proposal => ({
  domain,
  components: [{ name: domain, purpose: 'does it' }],
  interface_contracts: [],
  decisions: ['plain'],
  open_conflicts: [],
  t3_squads: squads.map((id) => ({ id, name: id, scope: `all of ${id}` })),
})

const bounds: Bounds = {
  domain_boundaries: { domains: [{ domain: 'backend', owns: ['the api'], excludes: [], interfaces: [] }] },
  shared_assumptions: { auth_approach: 'tokens', data_formats: [], api_patterns: [], conventions: [], constraints: [] },
}

/** Returns the ending of an agent that does its work well. */
export function wellDone(play: Play, brief: Brief, streams: readonly Stream[]): Ending {
  const output = (value: unknown): Ending => ({ kind: 'output', output: value })
  const { inputs, groupKey: workstream } = brief
  switch (brief.phase) {
    case 't1_plan':
    case 't1_critique':
      return output(aPlan(play, streams))
    case 't1_accept':
      return output({ decision: 'accept', reason: 'it is what was asked for' })
    case 't2_lead':
      return output(bounds)
    case 't2_specialist':
    case 't2_conflict':
      return output(aProposal(workstream as string))
    case 't2_synthesis':
      return output({
        canonical_architecture: {
          overview: 'one service',
          slices: Object.fromEntries(
            Object.keys(inputs['proposals'] as object).map((id) => [id, { summary: `the slice of ${id}` }]),
          ),
        },
      })
    case 't2_summary':
      return output({ summary: 'it fits' })
    case 't3_plan': {
      const squad = (inputs['squad'] as { id: string }).id
      return output({ tasks: [aTask(`${workstream}-${squad}-a`), aTask(`${workstream}-${squad}-b`)] })
    }
    case 't3_mesh':
      return output({ tasks: withoutDoubles(brief) })
    case 't3_verdict': {
      const results = inputs['t5_results'] as { scope: string; verdict: string }[]
      const failed = results.filter(({ verdict }) => verdict === 'fail').map(({ scope }) => scope)
      const joint = failed.length === 0 ? 'pass' : failed.length === results.length ? 'fail' : 'partial'
      return output({ t5_results: results, joint_verdict: joint, failed_scopes: failed, summary: 'compared' })
    }
    case 'resolve':
      return output({ decision: 'answer', answer: 'do it this way', reason: 'it is clear' })
    case 't5':
      return { kind: 'verdict', judgement: { verdict: 'pass' } }
    default:
      return { kind: 'done' }
  }
}

/** Drops the tasks that overlap with a squad whose name comes first. */
function withoutDoubles({ inputs, groupKey: workstream }: Brief): Task[] {
  const own = `${workstream}/${(inputs['squad'] as { id: string }).id}`
  const overlaps = inputs['overlaps'] as { task: string; with: string }[]
  const given = new Set(overlaps.filter((overlap) => overlap.with < own).map(({ task }) => task))
  return (inputs['tasks'] as Task[])
    .filter(({ id }) => !given.has(id))
    .map((task) => ({ ...task, depends_on: task.depends_on.filter((id) => !given.has(id)) }))
}

/** Squad leads that drop no overlapping task. */
export const stubborn: Otherwise = ({ phase, inputs }) =>
  phase === 't3_mesh' ? { kind: 'output', output: { tasks: inputs['tasks'] } } : null

/** Returns an ending other than a good one, or null for a good one. */
export type Otherwise = (brief: Brief, play: Play) => Ending | null

export interface Script {
  readonly streams: readonly Stream[]
  readonly otherwise?: Otherwise
  /** Gates that stay undecided. */
  readonly stopAt?: readonly string[]
}

/** Lets every agent work, one after the other, until only a person or a timer can continue the run. */
export async function playOn(
  play: Play,
  { streams, otherwise = () => null, stopAt = [] }: Script,
  most = 5_000,
  isOver: () => boolean = () => false,
): Promise<Play> {
  for (let step = 0; step < most; step++) {
    if (isOver()) return play
    const timer = play.timers.find(({ minutes }) => minutes === 0)
    if (timer !== undefined) {
      await play.fire(timer)
      continue
    }
    const [live] = play.live()
    if (live !== undefined) {
      await play.end(live, otherwise(live, play) ?? wellDone(play, live, streams))
      continue
    }
    const next = await play.runnable()
    if (next.length > 0) {
      await play.launchAll(next)
      continue
    }
    const gate = play.operatorGates().find(({ gate: name }) => !stopAt.includes(name))
    if (gate === undefined || play.run.status === 'paused') return play
    await play.approve(gate.id)
  }
  throw new Error(`still running after ${most} steps`)
}

export interface TeamWishes {
  readonly strict?: boolean
  readonly limits?: Partial<ResolvedTeam['limits']>
  readonly gates?: Partial<ResolvedTeam['gates']>
}

/** Returns the text of a team file. It limits no parallel agents: such limits are the engine's concern. */
export const teamed = ({ strict = false, limits = {}, gates = {} }: TeamWishes = {}): string =>
  JSON.stringify({
    runtime: { coding_agent: 'scripted' },
    visibility: { strict_mode: strict, inspection_gates: inSnakeCase(gates) },
    limits: { max_parallel_agents: 1_000, max_parallel: { t4: null }, ...inSnakeCase(limits) },
  })

const inSnakeCase = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]))

/** Gives these endings in turn to the matching briefs, then good ones. */
export function inTurn(isAbout: (brief: Brief) => boolean, ...endings: readonly Ending[]): Otherwise {
  const left = [...endings]
  return (brief) => (isAbout(brief) ? (left.shift() ?? null) : null)
}

export const either =
  (...all: readonly Otherwise[]): Otherwise =>
  (brief, play) => {
    for (const each of all) {
      const ending = each(brief, play)
      if (ending !== null) return ending
    }
    return null
  }

export const failing = (issue = 'it does not work'): Ending => ({
  kind: 'verdict',
  judgement: { verdict: 'fail', issues: [issue] },
})

export const output = (value: unknown): Ending => ({ kind: 'output', output: value })
