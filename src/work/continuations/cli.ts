import type { forkCommand } from '../../cli/commands/fork.ts'
import type { retryCommand } from '../../cli/commands/retry.ts'
import type { Handler } from '../../cli/declare.ts'
import { plain } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { parseEvidence, parseOptions } from '../runs/cli/arguments.ts'
import { printStarted } from '../runs/cli/started.ts'
import type { Run } from '../runs/contract.ts'
import { runEndpoints } from '../runs/endpoints.ts'
import { settingsOfRun } from './cli/settings.ts'

/** Starts a run that continues an ended one; the id stays alone on standard output. */
export const retryRun: Handler<typeof retryCommand> = async (context, id, { from, reason, anyway, ...print }) => {
  const run = await context.api().call<Wire<Run>>(runEndpoints.retry, { run_id: id, from, reason, anyway })
  context.err(`agency: ${plain(run.configuration.continues?.note ?? '')}`)
  return printStarted(context, run, print)
}

/** Starts a run with the work of an ended one, as far as a commit has it, and with other settings. */
export const forkRun: Handler<typeof forkCommand> = async (context, id, { goal, from, ...options }) => {
  const api = context.api()
  const old = await api.call<Wire<Run>>(runEndpoints.show, { run_id: id })
  const settings = settingsOfRun(old)
  const given = options.evidence?.filter((each) => each !== 'none').map(parseEvidence)
  // Options are those of one runtime.
  const earlier = options.runtime === undefined || options.runtime === settings.runtime ? settings.runtime_options : {}
  const { repo: _repo, base: _base, ...others } = settings
  const run = await api.call<Wire<Run>>(runEndpoints.create, {
    ...others,
    goal: goal ?? old.goal_anchor,
    organisation_id: old.organisation_id,
    fork: { run_id: old.id, from },
    runtime: options.runtime ?? settings.runtime,
    runtime_options: { ...earlier, ...parseOptions(options.option ?? []) },
    evidence: given ?? settings.evidence,
    cost_limit: options.usd ?? settings.cost_limit,
    plan_gate: options.planGate ?? settings.plan_gate,
    acceptance: options.acceptance ?? settings.acceptance,
  })
  context.err(`agency: ${plain(run.configuration.continues?.note ?? '')}`)
  return printStarted(context, run, options)
}
