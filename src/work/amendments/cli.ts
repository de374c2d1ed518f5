import type { missionAmendCommand } from '../../cli/commands/mission/amend.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { faultLine } from '../../cli/faults.ts'
import { readInput } from '../../cli/input.ts'
import { visible } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Fault } from '../../documents/contract.ts'
import { ApiError } from '../../operations/problem.ts'
import { nameOf, sendTrusted } from '../trusted-files/cli.ts'
import type { Amendment } from './contract.ts'
import { amendmentEndpoints } from './endpoints.ts'

export const amend: Handler<typeof missionAmendCommand> = async (context, run, options) =>
  options.plan === undefined
    ? amendPath(context, run, options)
    : amendPlan(context, run, { ...options, plan: options.plan })

const amendPath: Handler<typeof missionAmendCommand> = async (context, run, options) => {
  const amendment = await context.api().call<Wire<Amendment>>(amendmentEndpoints.amend, {
    run_id: run,
    workstream: options.workstream,
    add_tiers: options.addTiers,
    remove_tiers: options.removeTiers,
    insert_before: options.insertBefore,
    reason: options.reason,
  })
  if (options.json) context.json(amendment)
  else
    context.out(
      `${amendment.workstream}: ${pathText(amendment.before_path)} ${amendment.status === 'proposed' ? 'would become' : 'becomes'} ${pathText(amendment.after_path)}${amendment.status === 'proposed' ? `; the operator decides at gate ${amendment.gate_id}` : ''}`,
    )
  return 0
}

interface PlanOptions {
  plan: string
  base?: number
  trust?: true
  reason: string
  json?: true
}

async function amendPlan(context: CliContext, run: string, options: PlanOptions): Promise<number> {
  const plan = await readInput(options.plan, 'plan', '--plan FILE')
  const file_names = { plan: nameOf(options.plan) }
  const { base, reason } = options
  try {
    const amendment = await sendTrusted(context, options.trust, (trust) =>
      context
        .api()
        .call<Wire<Amendment>>(amendmentEndpoints.amendPlan, { run_id: run, plan, base, reason, trust, file_names }),
    )
    if (options.json) context.json(amendment)
    else for (const line of visible(amendment.diff ?? '').split('\n')) context.out(line)
    return 0
  } catch (error) {
    const faults = error instanceof ApiError ? error.problem.data?.['faults'] : undefined
    if (faults === undefined) throw error
    for (const fault of faults as Wire<Fault>[]) context.err(faultLine(fault, options.plan))
    return 2
  }
}

export const pathText = (path: readonly string[]): string => path.join(' → ')
