import { resolve } from 'node:path'

import type { Wire } from '../../cli/wire.ts'
import type { cancelCommand } from '../../cli/commands/cancel.ts'
import type { runCommand } from '../../cli/commands/run.ts'
import type { runsCommand } from '../../cli/commands/runs.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler, OptionsFor } from '../../cli/declare.ts'
import { ago, duration, plain, tableLines } from '../../cli/terminal.ts'
import { type RunState, runStateText } from '../../kernel/run-state.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import { parseEvidence, parseOptions, readScenario, programWords } from './cli/arguments.ts'
import { readablePaths } from './cli/readable-paths.ts'
import { printStarted } from './cli/started.ts'
import type { Run, RunLine } from './contract.ts'
import { progressText, runText } from './cli/state.ts'
import { runEndpoints } from './endpoints.ts'

type StartOptions = OptionsFor<typeof runCommand>

/** Starts a run and prints its id. */
export const startRun: Handler<typeof runCommand> = async (context, goal, options) => {
  const started = await start(context, goal, options)
  if ('exit' in started) return started.exit
  return printStarted(context, started.run, options)
}

async function start(
  context: CliContext,
  goal: string | undefined,
  options: StartOptions,
): Promise<{ run: Wire<Run> } | { exit: number }> {
  const input = {
    goal,
    playbook: options.playbook,
    team:
      options.team === undefined ? undefined : await (await import('../../team/cli.ts')).readTeamOption(options.team),
    strict: options.strict,
    mission_id: options.mission,
    priority: options.priority,
    organisation_id: await organisationId(context, options.org),
    repo: options.repo === undefined ? undefined : resolve(options.repo),
    base: options.base,
    setup: options.setup,
    protected: options.protect,
    mode: options.mode,
    verifier_mode: options.verifierMode,
    evidence: options.evidence?.map(parseEvidence),
    verify: options.verify,
    planner: options.planner,
    plan_gate: options.planGate,
    large_plan: options.largePlan,
    acceptance: options.acceptance,
    on_limit: options.onLimit,
    token_budget: options.tokens,
    cost_limit: options.usd,
    idle_minutes: options.idleMinutes,
    hard_minutes: options.hardMinutes,
    readable: readablePaths(options),
    ...runtimeOf(options),
  }
  const { plan } = options
  try {
    if (plan !== undefined)
      return await (await import('../plans/cli.ts')).startPlan(context, input, { ...options, plan })
    return { run: await create(context, input, options) }
  } catch (error) {
    if (!(await import('../../team/cli.ts')).printTeamFaults(context, error, options.team)) throw error
    return { exit: 2 }
  }
}

async function create(
  context: CliContext,
  input: object,
  { team, trust }: Pick<StartOptions, 'team' | 'trust'>,
): Promise<Wire<Run>> {
  const send = (more: object): Promise<Wire<Run>> =>
    context.api().call<Wire<Run>>(runEndpoints.create, { ...input, ...more })
  if (team === undefined) return send({})
  const { nameOf, sendTrusted } = await import('../trusted-files/cli.ts')
  const file_names = { team: nameOf(team) }
  return sendTrusted(context, trust, (trusted) => send({ file_names, trust: trusted }))
}

/** Returns the runtime and its options; a scenario or a program implies the runtime. */
function runtimeOf({ runtime, option, scenario, program }: StartOptions): {
  runtime?: string
  runtime_options?: object
} {
  const options = parseOptions(option ?? [])
  if (program !== undefined)
    return { runtime: runtime ?? 'program', runtime_options: { ...options, command: programWords(program) } }
  if (scenario !== undefined)
    return { runtime: runtime ?? 'scripted', runtime_options: { ...options, scenario: readScenario(scenario) } }
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(option === undefined ? {} : { runtime_options: options }),
  }
}

export const listRuns: Handler<typeof runsCommand> = async (context, { status, limit, org, json }) => {
  const answer = await context.api().call<{ runs: Wire<RunLine>[] }>(runEndpoints.list, {
    state: status,
    order: 'open_first',
    limit,
    organisation_id: await organisationId(context, org),
  })
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.runs.length === 0) {
    context.out(
      status === undefined
        ? `no runs yet; 'agency run "<goal>"' starts one`
        : `no runs: ${runStateText(status as RunState)}`,
    )
    return 0
  }
  const rows = answer.runs.map((run) => [
    run.id,
    runText(context, run.state),
    progressText(run.progress),
    ago(run.started_at, context.nowMs()),
    duration((run.ended_at === null ? context.nowMs() : Date.parse(run.ended_at)) - Date.parse(run.started_at)),
    `${run.priority === 'medium' ? '' : `(${run.priority}) `}${run.simulated ? 'sim · ' : ''}${plain(run.goal_anchor)}`,
  ])
  const columns = [
    { title: 'RUN' },
    { title: 'STATUS' },
    { title: 'BRIEFS', right: true },
    { title: 'STARTED', right: true },
    { title: 'TOOK', right: true, spare: true },
    { title: 'GOAL', flexible: true },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  for (const { id, waits_for } of answer.runs)
    if (waits_for !== null) context.out(`${id} waits for ${plain(waits_for)}`)
  return 0
}

export const cancelRun: Handler<typeof cancelCommand> = async (context, id, { reason, json }) => {
  const run = await context.api().call<Wire<Run>>(runEndpoints.cancel, { run_id: id, reason })
  if (json) context.json(run)
  else context.out(`${run.id} ${run.status}`)
  return 0
}
