import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { BriefWork, Work } from './contract.ts'

type Command = [string, ...string[]]

/** A tiered run in which T4 and T5 are programs and the tiers above are scripted and diligent. */
export function tieredInput(
  common: Readonly<Record<string, unknown>>,
  work: Work,
  commands: Readonly<Record<string, Command>>,
): unknown {
  const { retryBudget, crashRetries, verificationLimit, ...input } = common
  const scripted = { runtime: 'scripted', options: { scenario: { phases: phasesOf(work) } } }
  const team = {
    visibility: { inspection_gates: { t2_synthesis: false } },
    limits: {
      crash_retries: crashRetries,
      retry_budget: retryBudget,
      verification_failures: verificationLimit,
      similar_escalations: 1,
    },
    tiers: {
      t1: scripted,
      t2: scripted,
      t3: scripted,
      t4: { runtime: 'program', options: { command: commands['main'] ?? dispatcher(commands) } },
      t5: { runtime: 'program', options: { command: commands['verifier'] } },
    },
  }
  return { ...input, playbook: 'tiered', team: JSON.stringify(team) }
}

function phasesOf(work: Work): Record<string, unknown> {
  const isOne = work.briefs === undefined
  const streams: readonly Pick<BriefWork, 'key' | 'evidence'>[] =
    work.workstreams === true ? (work.briefs ?? []) : [{ key: 'whole' }]
  // A workstream with evidence of its own has a lead that asks for it.
  const hasLead = ({ evidence }: Pick<BriefWork, 'key' | 'evidence'>): boolean =>
    work.workstreams === true ? evidence !== undefined : !isOne
  const plan = {
    run_id: '{{inputs.run_id}}',
    goal_anchor: '{{inputs.goal_anchor}}',
    complexity: 'low',
    retry_budget_multiplier: 1,
    workstreams: streams.map(({ key, evidence }) => ({
      id: key,
      name: `The part ${key}`,
      domain: 'backend',
      tier_path: hasLead({ key, evidence }) ? ['t3', 't4', 't5'] : ['t4', 't5'],
      parallel_group: key,
      t2_specialist: null,
      notes: work.workstreams === true ? `Do the part ${key}` : 'All of it',
      evidence_required: [],
    })),
    parallelism: {
      groups: Object.fromEntries(streams.map(({ key }) => [key, [key]])),
      sequence: streams.map(({ key }) => key),
    },
    self_critique_summary: 'nothing is missing',
  }
  const tasks = (work.briefs ?? []).map(({ key, evidence = [], after = [], files = [] }) => ({
    id: key,
    title: `Part ${key}`,
    scope: key,
    objective: `Do the part ${key}`,
    files: files.length === 0 ? [`part-${key}`] : files,
    mode: after.length === 0 ? 'swarm' : 'pipeline',
    depends_on: after,
    // A planner asks for no commands; those of the run hold for every task.
    evidence_required: evidence.filter(({ kind }) => kind === 'file'),
    agent_personality: null,
  }))
  const delivering = (output: unknown): unknown => ({
    steps: [{ report: { status: 'done', summary: 'Here.', output } }],
  })
  return {
    t1_plan: delivering(plan),
    t1_critique: delivering(plan),
    ...(work.workstreams === true
      ? Object.fromEntries(tasks.map((task) => [`t3_plan:${task.id}`, delivering({ tasks: [task] })]))
      : { t3_plan: delivering({ tasks }) }),
    t1_accept: delivering({ decision: 'accept', reason: 'it is what was asked for', workstreams: [] }),
    ...work.phases,
  }
}

/** One program for all tasks: it finds its script by the objective in its prompt. */
function dispatcher(commands: Readonly<Record<string, Command>>): Command {
  const keys = Object.keys(commands).filter((key) => key !== 'verifier')
  const [, first, tool] = commands[keys[0] as string] as [string, string, string]
  const path = join(dirname(first), 'dispatch.sh')
  const cases = keys.map((key) => {
    const script = (commands[key] as Command)[1] as string
    return `if grep -q 'Do the part ${key}$' "$p" || grep -q 'Do the part ${key}[^a-z0-9-]' "$p"; then exec /bin/sh ${script} ${tool} < "$p"; fi`
  })
  writeFileSync(path, `p=$(mktemp)\ncat > "$p"\n${cases.join('\n')}\nexit 9\n`)
  return ['/bin/sh', path, tool, ...keys.map((key) => (commands[key] as Command)[1] as string)]
}
