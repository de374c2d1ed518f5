import type { StepInput } from '../../../src/adapters/runtime/scripted/contract.ts'
import { playStep } from '../../../src/adapters/runtime/scripted/steps.ts'
import type { LaunchStep } from '../../../src/adapters/runtime/port.ts'
import type { Outcome } from '../../../src/work/attempts/contract.ts'
import { proofOf } from '../missions.ts'
import { answerOfLead, asksLead } from '../lead/agents.ts'
import type { Random } from '../random.ts'

type Fields = Readonly<Record<string, unknown>>

/** Draws a valid output of a step, mostly not the simplest one. */
export function goodStep(step: LaunchStep, random: Random, isDiligent: boolean): unknown {
  const drawn = asksLead(step) ? answerOfLead(step, random) : drawings[step.phase]?.(step, random, isDiligent)
  return drawn ?? simplest(step)
}

export const stepReport = (output: unknown, random: Random): StepInput => ({
  report: { status: 'done', summary: 'thought about it', output, via: random.pick(['http', 'file', 'stdout']) },
})

/** Returns the output that the scripted runtime's own agent would report. */
function simplest(step: LaunchStep): unknown {
  for (const each of playStep(step)) if ('report' in each) return (each.report as { output?: unknown }).output
  return undefined
}

type Drawing = (step: LaunchStep, random: Random, isDiligent: boolean) => unknown

const paths = [
  ['t4', 't5'],
  ['t3', 't4', 't5'],
  ['t3', 't4', 't5'],
  ['t2', 't3', 't4', 't5'],
  ['t2', 't3', 't4', 't5'],
]

const drawings: Readonly<Record<string, Drawing>> = {
  t1_plan: ({ inputs }, random) => {
    const count = random.pick([1, 1, 2, 2, 3])
    const groups = random.pick([1, 1, 2])
    const complexity = random.pick(['low', 'medium', 'high'])
    const workstreams = Array.from({ length: count }, (_, index) => ({
      id: `w${index}`,
      name: `Write the part ${index}`,
      domain: random.pick(['backend', 'backend', 'docs']),
      tier_path: random.pick(paths),
      parallel_group: `g${index % groups}`,
      t2_specialist: random.pick([null, 'software-architect', 'nobody-of-that-name']),
      notes: `Write ${subjectOf(inputs)}-w${index}.md`,
    }))
    const used = [...new Set(workstreams.map((each) => each.parallel_group))]
    return {
      run_id: inputs['run_id'],
      goal_anchor: inputs['goal_anchor'],
      complexity,
      retry_budget_multiplier: complexity === 'high' ? 2 : 1,
      workstreams,
      parallelism: {
        groups: Object.fromEntries(
          used.map((group) => [group, workstreams.filter((each) => each.parallel_group === group).map(({ id }) => id)]),
        ),
        sequence: used,
      },
    }
  },
  t2_specialist: (step, random) => proposal(step, random),
  t2_conflict: (step, random) => proposal(step, random),
  t2_synthesis: ({ inputs }, random, isDiligent) => {
    const streams = Object.keys((inputs['proposals'] ?? {}) as Fields)
    if (isDiligent || streams.length === 0 || !random.chance(0.25)) return undefined
    return { conflicts: [{ workstreams: [random.pick(streams)], about: 'two formats for one thing' }] }
  },
  t3_plan: (step, random) => ({ tasks: tasksOf(step, random) }),
  t1_accept: ({ inputs }, random, isDiligent) => {
    if (isDiligent || !random.chance(0.3)) return undefined
    return {
      decision: 'reject',
      reason: 'not the requested output',
      workstreams: [],
      action: inputs['accept_scope'] === 'final' ? random.pick(['rework', 'rework', 'replan']) : 'rework',
    }
  },
  resolve: (step, random, isDiligent) => {
    if (isDiligent) return undefined
    return random.pick([
      undefined,
      undefined,
      { decision: 'hand_up', reason: 'not mine to say' },
      { decision: 'replace', reason: 'done otherwise', tasks: [task(step, `x${random.between(0, 99)}`)] },
      {
        decision: 'replace',
        reason: 'divided otherwise',
        squads: [{ id: `q${random.between(0, 99)}`, name: 'Others', scope: 'all' }],
      },
    ])
  },
}

function proposal({ inputs, data: { workstream } }: LaunchStep, random: Random): Fields {
  const { domain = workstream } = (inputs['boundary'] ?? {}) as Fields
  const count = random.pick([1, 1, 2, 3])
  return {
    domain,
    components: [{ name: 'part', purpose: 'to be there' }],
    t3_squads: Array.from({ length: count }, (_, index) => ({
      id: `s${index}`,
      name: `Squad ${index}`,
      scope: 'some',
    })),
  }
}

/** Draws tasks, some of which share a file with another squad. */
function tasksOf(step: LaunchStep, random: Random): Fields[] {
  const count = random.pick([1, 1, 2, 3, 4])
  const ids = Array.from({ length: count }, (_, index) => `t${index}`)
  return ids.map((id, index) => {
    const before = ids.slice(0, index).filter(() => random.chance(0.4))
    return {
      ...task(step, id),
      ...(before.length > 0 ? { mode: 'pipeline', depends_on: before } : {}),
      ...(random.chance(0.2) ? { files: ['shared.md'] } : {}),
    }
  })
}

function task({ inputs, data: { workstream } }: LaunchStep, id: string): Fields {
  const squad = String(((inputs['squad'] ?? {}) as Fields)['id'] ?? 'main')
  const subject = `${subjectOf(inputs)}-${typeof workstream === 'string' ? workstream : 'all'}-${squad}-${id}`
  return {
    id,
    title: subject,
    scope: subject,
    objective: `Write ${subject}.md`,
    files: [`${subject}.md`],
    evidence_required: [{ kind: 'file', path: `${subject}.md`, contains: proofOf(subject) }],
  }
}

const subjectOf = (inputs: Fields): string => /Write (\S+)\.md/.exec(JSON.stringify(inputs))?.[1]?.split('-')[0] ?? 'it'

/** Draws an output that is malformed, or well-formed but not acceptable. */
export function badStep(step: LaunchStep, random: Random): { steps: StepInput[]; outcomes: Outcome[] } {
  const good = goodStep(step, random, true) as Fields
  const outputs: unknown[] = [
    'nothing',
    [],
    {},
    ...(step.phase === 't1_plan' || step.phase === 't1_critique'
      ? [
          { ...good, goal_anchor: 'something else' },
          { ...good, workstreams: [...(good['workstreams'] as unknown[]), ...(good['workstreams'] as unknown[])] },
          { ...good, workstreams: (good['workstreams'] as Fields[]).map((each) => ({ ...each, tier_path: ['t4'] })) },
        ]
      : []),
    ...(step.phase === 't3_plan'
      ? [
          {
            tasks: [
              { ...task(step, 'a'), depends_on: ['b'] },
              { ...task(step, 'b'), depends_on: ['a'] },
            ],
          },
          { tasks: [task(step, 'a'), task(step, 'a')] },
          { tasks: [] },
        ]
      : []),
    ...(step.phase === 't3_verdict' ? [{ ...good, joint_verdict: 'pass', failed_scopes: [] }] : []),
  ]
  return { steps: [stepReport(random.pick(outputs), random)], outcomes: ['ok', 'bad_output'] }
}
