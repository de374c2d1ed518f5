import { readFileSync } from 'node:fs'

import { type Phase, phases, type Task, type TierPlan, type Workstream } from '../../src/playbooks/tiered/contract.ts'
import type { Asked, Reply, Rule, ToolUse } from '../support/model-server/script.ts'

/** A task as this model implements and verifies it; the model finds it by `Task <id>:` in the objective. */
export interface Job {
  readonly path: string
  /** The wrong text of the first attempt; `text` is written after the correction. */
  readonly first?: string
  readonly text: string
}

export interface Squad {
  readonly id: string
  readonly tasks: readonly Task[]
}

export interface World {
  readonly goal: string
  readonly workstreams: readonly Workstream[]
  /** Squads by workstream; a workstream without an entry has one squad. */
  readonly squads: Readonly<Record<string, readonly Squad[]>>
  readonly jobs: Readonly<Record<string, Job>>
}

/** Progress of an agent: the phase of the run, the task, and the number of answers so far. */
export interface Progress {
  readonly phase: Phase
  readonly task: string | null
  readonly step: number
}

/** Plays every tier on every runtime; does not answer while `holds` returns true. */
export const tieredModel = (world: World, holds: (progress: Progress) => boolean = () => false): Rule => ({
  reply: (asked) => {
    const progress = progressOf(asked)
    // Claude Code also sends requests of its own, such as one for a title.
    if (progress === null) return { text: 'Done.' }
    return holds(progress) ? 'hang' : play(world, progress, asked)
  },
})

export function progressOf({ firstPrompt, step }: Pick<Asked, 'firstPrompt' | 'step'>): Progress | null {
  const phase = phases.find((each) => firstPrompt.includes(`${titleOf(each)}\n`))
  if (phase === undefined) return null
  const [, task = null] = phase === 't4' || phase === 't5' ? (/\bTask ([a-z-]+):/.exec(firstPrompt) ?? []) : []
  return { phase, task, step }
}

const prompts = new URL('../../src/playbooks/tiered/prompts/', import.meta.url)
const titles = new Map(phases.map((phase) => [phase, readFileSync(new URL(`${phase}.md`, prompts), 'utf8')]))
const titleOf = (phase: Phase): string => titles.get(phase)?.split('\n')[0] ?? ''

function play(world: World, { phase, task, step }: Progress, asked: Asked): Reply {
  if (phase === 't4') return implement(jobOf(world, task), asked)
  if (phase === 't5') return verify(jobOf(world, task), asked)
  // The planner reads a file first.
  if (phase === 't1_plan' && step === 0) return { tools: [{ name: 'read_file', input: { path: 'README.md' } }] }
  return report(asked, { output: outputOf(world, phase, inputsIn(asked.firstPrompt)) })
}

function jobOf({ jobs }: World, task: string | null): Job {
  const job = jobs[task ?? '']
  if (job === undefined) throw new Error(`the world has no job for task ${task}`)
  return job
}

function implement({ path, first, text }: Job, asked: Asked): Reply {
  const isCorrected = asked.firstPrompt.includes('## Failures of the last attempt')
  if (asked.step === 0) return { tools: [write(asked, path, isCorrected ? text : (first ?? text))] }
  // An agent that resumes after an interruption may have committed already.
  if (asked.step === 1)
    return { tools: [shell(asked, `git add ${path} && git commit -qm "Write ${path}" || git status --short`)] }
  // Claude Code sends one more request after its report.
  return asked.step === 2 ? report(asked, { outputs: [path] }) : { text: 'Done.' }
}

/** Reads the file, and passes it if its last line is the right one. A verifier runs nothing. */
function verify({ path, text }: Job, asked: Asked): Reply {
  if (asked.step === 0) return { tools: [read(asked, path)] }
  if (asked.step > 1) return { text: 'Done.' }
  const quote = text.trimEnd().split('\n').at(-1) ?? ''
  const verdict = asked.toolResults[0]?.text.includes(quote)
    ? { verdict: 'pass', checked: [{ path, quote }] }
    : { verdict: 'fail', checked: [{ path }], issues: [`${path} does not do what was asked`] }
  return report(asked, { verdict: { missing_evidence: [], issues: [], notes: '', ...verdict } })
}

const isClaude = ({ toolNames }: Asked): boolean => toolNames.includes('Bash')
const shell = (asked: Asked, command: string): ToolUse => ({
  name: isClaude(asked) ? 'Bash' : 'run_command',
  input: { command },
})
const read = (asked: Asked, path: string): ToolUse =>
  isClaude(asked) ? { name: 'Read', input: { file_path: path } } : { name: 'read_file', input: { path } }
const write = (asked: Asked, path: string, content: string): ToolUse =>
  isClaude(asked)
    ? { name: 'Write', input: { file_path: path, content } }
    : { name: 'write_file', input: { path, content } }
const report = (asked: Asked, fields: Readonly<Record<string, unknown>>): Reply => ({
  tools: [
    {
      name: isClaude(asked) ? 'mcp__agency__report' : 'report',
      input: { status: 'done', summary: 'It is done.', ...fields },
    },
  ],
})

type Inputs = Readonly<Record<string, unknown>>

/** Parses the inputs that a prompt contains as JSON. */
function inputsIn(prompt: string): Inputs {
  const [, json] = /## Inputs\n\n[^\n]*\n\n```json\n(.*?)\n```\n/s.exec(prompt) ?? []
  return json === undefined ? {} : (JSON.parse(json) as Inputs)
}

function outputOf(world: World, phase: Phase, inputs: Inputs): unknown {
  const { squads } = world
  switch (phase) {
    case 't1_plan':
      return planOf(world, inputs)
    case 't1_critique':
      return { ...(inputs['plan'] as TierPlan), self_critique_summary: 'The rounding of numbers is not specified.' }
    case 't1_accept':
      return { decision: 'accept', reason: 'It is what was asked for.' }
    case 't2_lead':
      return { domain_boundaries: { domains: boundariesOf(world) }, shared_assumptions: { conventions: ['.mjs'] } }
    case 't2_specialist':
      return proposalOf(squads[String(inputs['workstream'])] ?? [], inputs)
    case 't2_synthesis':
      return { canonical_architecture: { overview: 'One module for each thing.', slices: slicesOf(inputs) } }
    case 't2_summary':
      return { summary: 'It fits.' }
    case 't3_plan':
      return { tasks: tasksOf(squads[String(inputs['workstream'])] ?? [], inputs) }
    case 't3_mesh':
      return { tasks: withoutOverlaps(inputs) }
    case 't3_verdict':
      return jointly(inputs['t5_results'] as { scope: string; verdict: string }[])
    default:
      throw new Error(`the model has no output for phase ${phase}`)
  }
}

const planOf = ({ goal, workstreams }: World, { run_id }: Inputs): unknown => ({
  run_id,
  goal_anchor: goal,
  complexity: 'low',
  retry_budget_multiplier: 1,
  workstreams,
  parallelism: { groups: { all: workstreams.map(({ id }) => id) }, sequence: ['all'] },
})

const boundariesOf = ({ workstreams }: World): unknown[] =>
  workstreams.filter(({ tier_path: path }) => path.includes('t2')).map(({ domain, name }) => ({ domain, owns: [name] }))

const proposalOf = (squads: readonly Squad[], { boundary, name }: Inputs): unknown => ({
  domain: (boundary as { domain: string }).domain,
  components: [{ name, purpose: 'All of it.' }],
  t3_squads: squads.map(({ id }) => ({ id, name: id, scope: `everything of ${id}` })),
})

const slicesOf = ({ proposals }: Inputs): unknown =>
  Object.fromEntries(Object.keys(proposals as object).map((id) => [id, { summary: `All of ${id}.` }]))

const tasksOf = (squads: readonly Squad[], { squad }: Inputs): readonly Task[] =>
  squads.find(({ id }) => id === (squad as { id: string }).id)?.tasks ?? []

/** Of two squads that claim the same file, the one with the alphabetically first name keeps it. */
function withoutOverlaps({ tasks, overlaps, workstream, squad }: Inputs): readonly Task[] {
  const own = `${String(workstream)}/${(squad as { id: string }).id}`
  const claims = overlaps as { task: string; with: string }[]
  const released = new Set(claims.filter((claim) => claim.with < own).map(({ task }) => task))
  return (tasks as Task[]).filter(({ id }) => !released.has(id))
}

function jointly(results: readonly { scope: string; verdict: string }[]): unknown {
  const failed = results.filter(({ verdict }) => verdict === 'fail').map(({ scope }) => scope)
  const joint = failed.length === 0 ? 'pass' : 'partial'
  return { t5_results: results, joint_verdict: joint, failed_scopes: failed, summary: 'All were compared.' }
}
