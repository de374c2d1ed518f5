import type { Step } from '../src/adapters/runtime/scripted/contract.ts'
import type { BuiltIn } from '../src/adapters/runtime/scripted/scenarios.ts'
import { CreateRun } from '../src/work/runs/contract.ts'

export interface TieredSize {
  readonly workstreams: number
  /** Number of tasks per workstream; one squad does them all. */
  readonly tasks: number
  readonly path: 'full' | 'medium'
}

/**
 * Builds a run with plan, critique, design (on the full path), tasks, a verifier per task, and acceptance. No model is
 * called.
 */
export const tieredRunOf = ({ workstreams, tasks, path }: TieredSize): CreateRun =>
  CreateRun.parse({
    goal: `Build ${workstreams} workstreams of ${tasks} tasks, ${path}`,
    playbook: 'tiered',
    runtime: 'scripted',
    runtimeOptions: { scenario: 'tiers' },
    // The same parallelism as a direct run.
    team: 'limits: { max_parallel_agents: 64, max_parallel: { t3: 64, t4: 64, t5: 64 } }',
  })

export const playTiers: BuiltIn = (prompt, files = []) => {
  const [, workstreams = '1', tasks = '1', path = 'medium'] =
    /Build (\d+) workstreams of (\d+) tasks, (\w+)/.exec(prompt) ?? []
  const streams = Array.from({ length: Number(workstreams) }, (_, index) => `w${index}`)
  const [file = 'result.md'] = files
  const plan = (from: string): Record<string, unknown> => ({
    run_id: `{{${from}run_id}}`,
    goal_anchor: `{{${from}goal_anchor}}`,
    complexity: 'medium',
    retry_budget_multiplier: 1,
    workstreams: streams.map((id) => ({
      id,
      name: id,
      domain: id,
      tier_path: path === 'full' ? ['t2', 't3', 't4', 't5'] : ['t3', 't4', 't5'],
      parallel_group: 'all',
    })),
    parallelism: { groups: { all: streams }, sequence: ['all'] },
    self_critique_summary: 'Nothing is missing.',
  })
  return {
    attempts: [[{ write: { path: file, text: 'Done.\n' } }, reported({ outputs: [file] })]],
    verify: [[reported({ verdict: { verdict: 'pass', checked: '{{outputs}}' } })]],
    // Each is built when it is played: an agent plays one of them.
    phases: {
      get t1_plan() {
        return output(plan('inputs.'))
      },
      get t1_critique() {
        return output(plan('inputs.plan.'))
      },
      get t2_lead() {
        return output({
          domain_boundaries: { domains: streams.map((domain) => ({ domain, owns: [`all of ${domain}`] })) },
          shared_assumptions: {},
        })
      },
      get t2_specialist() {
        return output({
          domain: '{{workstream}}',
          components: [{ name: '{{workstream}}', purpose: 'all of it' }],
          t3_squads: [{ id: 'main', name: 'main', scope: 'all of it' }],
        })
      },
      get t2_synthesis() {
        return output({
          canonical_architecture: {
            overview: 'Each stands alone.',
            slices: Object.fromEntries(streams.map((id) => [id, { summary: `All of ${id}.` }])),
          },
        })
      },
      get t2_summary() {
        return output({ summary: 'Everything fits.' })
      },
      get t3_plan() {
        return output({
          tasks: Array.from({ length: Number(tasks) }, (_, index) => ({
            id: `t${index}`,
            title: `Task ${index}`,
            scope: `{{workstream}} ${index}`,
            objective: `Write {{workstream}}-${index}.md`,
            files: [`{{workstream}}-${index}.md`],
            evidence_required: [{ kind: 'file', path: `{{workstream}}-${index}.md` }],
          })),
        })
      },
      get t3_verdict() {
        return output({
          t5_results: '{{inputs.t5_results}}',
          joint_verdict: 'pass',
          failed_scopes: [],
          summary: 'All pass.',
        })
      },
      get t5() {
        return [[reported({ verdict: { verdict: 'pass', checked: '{{outputs}}' } })]]
      },
      get t1_accept() {
        return output({ decision: 'accept', reason: 'It is what was asked for.' })
      },
    },
  }
}

const reported = (report: { outputs?: string[]; verdict?: unknown; output?: unknown }): Step => ({
  report: { status: 'done', summary: 'Done.', outputs: [], via: 'stdout', ...report },
})

const output = (value: unknown): Step[][] => [[reported({ output: value })]]
