import { resolve } from 'node:path'

import type { Wire } from '../../cli/wire.ts'
import type { CliContext } from '../../cli/context.ts'
import { ago, duration, plain, statusText, tableLines } from '../../cli/terminal.ts'
import { parseEvidence, parseOptions, readScenario, shellWords } from './cli/arguments.ts'
import type { Run, RunLine } from './contract.ts'

export interface StartOptions {
  /** A file with the whole run, or - for standard input. */
  plan?: string
  preview?: true
  playbook?: string
  /** A file, or - for standard input. */
  team?: string
  strict?: true
  runtime?: string
  option?: string[]
  scenario?: string
  program?: string
  evidence?: string[]
  org?: number
  mission?: string
  repo?: string
  base?: string
  mode?: string
  verify?: string
  planner?: true
  planGate?: true
  acceptance?: string
  onLimit?: string
  tokens?: number
  usd?: number
  idleMinutes?: number | null
  hardMinutes?: number | null
  watch?: true
  json?: true
}

/** Standard output carries the id alone, so that a script can catch it; with --watch the log goes to standard error. */
export async function startRun(context: CliContext, goal: string | undefined, options: StartOptions): Promise<number> {
  const started = await start(context, goal, options)
  if ('exit' in started) return started.exit
  const { run } = started
  if (options.json) context.json(run)
  else context.out(run.id)
  if (!options.watch) return 0
  const { watchRun } = await import('./cli/watch.ts')
  return watchRun({ ...context, out: context.err }, run.id, {})
}

async function start(
  context: CliContext,
  goal: string | undefined,
  options: StartOptions,
): Promise<{ run: Wire<Run> } | { exit: number }> {
  const asked = {
    goal,
    playbook: options.playbook,
    team:
      options.team === undefined ? undefined : await (await import('../../team/cli.ts')).readTeamOption(options.team),
    strict: options.strict,
    mission_id: options.mission,
    organisation_id: options.org,
    repo: options.repo === undefined ? undefined : resolve(options.repo),
    base: options.base,
    mode: options.mode,
    evidence: options.evidence?.map(parseEvidence),
    verify: options.verify,
    planner: options.planner,
    plan_gate: options.planGate,
    acceptance: options.acceptance,
    on_limit: options.onLimit,
    token_budget: options.tokens,
    cost_limit: options.usd,
    idle_minutes: options.idleMinutes,
    hard_minutes: options.hardMinutes,
    ...runtimeOf(options),
  }
  const { plan } = options
  try {
    if (plan !== undefined)
      return await (await import('../plans/cli.ts')).startPlan(context, asked, { ...options, plan })
    return { run: await context.api().post<Wire<Run>>('/runs', asked) }
  } catch (error) {
    if (!(await import('../../team/cli.ts')).tellTeamFaults(context, error, options.team)) throw error
    return { exit: 2 }
  }
}

/** A scenario or a program says which runtime is meant. */
function runtimeOf({ runtime, option, scenario, program }: StartOptions): {
  runtime?: string
  runtime_options?: object
} {
  const options = parseOptions(option ?? [])
  if (program !== undefined)
    return { runtime: runtime ?? 'program', runtime_options: { ...options, command: shellWords(program) } }
  if (scenario !== undefined)
    return { runtime: runtime ?? 'scripted', runtime_options: { ...options, scenario: readScenario(scenario) } }
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(option === undefined ? {} : { runtime_options: options }),
  }
}

export interface RunsOptions {
  status?: string
  limit?: number
  json?: true
}

export async function listRuns(context: CliContext, options: RunsOptions): Promise<number> {
  const answer = await context
    .api()
    .get<{ runs: Wire<RunLine>[] }>('/runs', { status: options.status, limit: options.limit })
  if (options.json) {
    context.json(answer)
    return 0
  }
  if (answer.runs.length === 0) {
    context.out(
      options.status === undefined ? 'no runs yet; agency run "<goal>" starts one' : `no runs are ${options.status}`,
    )
    return 0
  }
  const rows = answer.runs.map((run) => [
    run.id,
    statusText(context, run.status),
    `${run.briefs_done + run.briefs_verified}/${run.briefs_total}`,
    ago(run.started_at, context.nowMs()),
    duration((run.ended_at === null ? context.nowMs() : Date.parse(run.ended_at)) - Date.parse(run.started_at)),
    `${run.simulated ? '(simulated) ' : ''}${plain(run.goal_anchor)}`,
  ])
  const columns = [
    { title: 'RUN' },
    { title: 'STATUS' },
    { title: 'BRIEFS', right: true },
    { title: 'STARTED', right: true },
    { title: 'TOOK', right: true },
    { title: 'GOAL', flexible: true },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

export async function cancelRun(
  context: CliContext,
  id: string,
  options: { reason?: string; json?: true },
): Promise<number> {
  const run = await context.api().post<Wire<Run>>(`/runs/${encodeURIComponent(id)}/cancel`, { reason: options.reason })
  if (options.json) context.json(run)
  else context.out(`${run.id} ${run.status}`)
  return 0
}
