import type { LaunchStep } from '../port.ts'
import type { Step } from './contract.ts'
import { workstreamOf } from './step-data.ts'

/**
 * Returns the steps of a scripted agent for a playbook step without a scenario: the simplest output that lets the run
 * continue, made from the inputs of the step. The texts say that it is simulated.
 */
export function playStep(step: LaunchStep): Step[] {
  const output = outputs[step.phase]?.(step)
  return [
    { say: `I am a simulated agent: no model is called, and my ${step.phase} was written in advance.` },
    { usage: { input_tokens: 400, output_tokens: Math.ceil(JSON.stringify(output ?? '').length / 4) } },
    {
      report: {
        status: 'done',
        summary: `${step.phase} (simulated).`,
        outputs: [],
        via: 'http',
        ...(output === undefined ? {} : { output }),
      },
    },
  ]
}

type Fields = Readonly<Record<string, unknown>>
type OutputOf = (step: LaunchStep) => unknown

const outputs: Readonly<Record<string, OutputOf>> = {
  t1_plan: ({ inputs }) => ({
    run_id: inputs['run_id'],
    goal_anchor: inputs['goal_anchor'],
    complexity: 'medium',
    retry_budget_multiplier: 1,
    workstreams: [
      workstream('core', 'The requested work', 'backend'),
      workstream('docs', 'Documentation of its use', 'docs'),
    ],
    parallelism: { groups: { all: ['core', 'docs'] }, sequence: ['all'] },
    self_critique_summary: '',
  }),
  t1_critique: ({ inputs }) => ({
    ...fieldsOf(inputs['plan']),
    self_critique_summary: 'No critique was made: this plan is simulated.',
  }),
  t1_accept: () => ({ decision: 'accept', reason: 'Everything was verified (simulated).', workstreams: [] }),
  t2_lead: ({ inputs }) => ({
    domain_boundaries: {
      domains: [...new Set(streamsOf(inputs['plan']).map(({ domain }) => String(domain)))].map((domain) => ({
        domain,
        owns: [`everything of ${domain}`],
        excludes: ['everything else'],
        interfaces: [],
      })),
    },
    shared_assumptions: {
      auth_approach: 'none (simulated)',
      data_formats: ['JSON, UTF-8'],
      api_patterns: [],
      conventions: ['one file for each task'],
      constraints: [],
    },
  }),
  t2_specialist: proposal,
  t2_conflict: proposal,
  t2_synthesis: ({ inputs }) => ({
    conflicts: [],
    canonical_architecture: {
      overview: 'Each workstream stands alone (simulated).',
      slices: Object.fromEntries(
        Object.keys(fieldsOf(inputs['proposals'])).map((id) => [id, { summary: `All of ${id}.`, components: [] }]),
      ),
      interface_contracts: [],
    },
  }),
  t2_summary: () => ({ summary: 'Every workstream is there and verified (simulated).', concerns: [] }),
  t3_plan: (step) => {
    const { inputs } = step
    const of = workstreamOf(step)
    const squad = String(fieldsOf(inputs['squad'])['id'] ?? 'main')
    return { tasks: ['first', 'second'].map((id) => task(id, `${of ?? 'work'}/${squad}/${id}.md`)) }
  },
  t3_mesh: (step) => ({ tasks: withoutOverlaps(step) }),
  t3_verdict: ({ inputs }) => jointVerdict(listOf(inputs['t5_results']).map(fieldsOf)),
  resolve: () => ({
    decision: 'answer',
    answer: 'Try once more, exactly as the task says (simulated).',
    reason: 'No model was called: this answer is simulated.',
  }),
}

const workstream = (id: string, name: string, domain: string): Fields => ({
  id,
  name,
  domain,
  tier_path: ['t3', 't4', 't5'],
  parallel_group: 'all',
  t2_specialist: null,
  notes: '',
})

function proposal(step: LaunchStep): Fields {
  const { inputs } = step
  const of = workstreamOf(step)
  const { domain = of } = fieldsOf(inputs['boundary'])
  const name = String(inputs['name'] ?? of)
  return {
    domain,
    components: [{ name, purpose: 'All of it (simulated)' }],
    interface_contracts: [],
    decisions: ['the simplest thing that works'],
    open_conflicts: [],
    t3_squads: [{ id: 'main', name, scope: `everything of ${name}` }],
  }
}

const task = (id: string, path: string): Fields => ({
  id,
  title: `Write ${path}`,
  scope: path,
  objective: `Write something short into ${path}`,
  files: [path],
  mode: 'swarm',
  depends_on: [],
  evidence_required: [{ kind: 'file', path }],
})

/** Of two squads that claim the same task, the one whose name sorts first keeps it. */
function withoutOverlaps(step: LaunchStep): unknown[] {
  const { inputs } = step
  const of = workstreamOf(step)
  const tasks = listOf(inputs['tasks'])
  const own = `${of}/${String(fieldsOf(inputs['squad'])['id'])}`
  const theirs = listOf(inputs['overlaps'])
    .map(fieldsOf)
    .filter((overlap) => String(overlap['with']) < own)
  const released = new Set(theirs.map((overlap) => overlap['task']))
  return tasks
    .map(fieldsOf)
    .filter(({ id }) => !released.has(id))
    .map((each) => ({ ...each, depends_on: listOf(each['depends_on']).filter((id) => !released.has(id)) }))
}

function jointVerdict(results: readonly Fields[]): Fields {
  const failed = results.filter(({ verdict }) => verdict !== 'pass')
  const all = failed.length === results.length && results.length > 1
  return {
    t5_results: results,
    joint_verdict: failed.length === 0 ? 'pass' : all ? 'fail' : 'partial',
    failed_scopes: failed.map(({ scope }) => scope),
    summary: failed.length === 0 ? 'All slices pass (simulated).' : `${failed.length} slices fail (simulated).`,
  }
}

const streamsOf = (plan: unknown): Fields[] =>
  listOf(fieldsOf(plan)['workstreams'])
    .map(fieldsOf)
    .filter(({ tier_path: path }) => listOf(path).includes('t2'))

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
