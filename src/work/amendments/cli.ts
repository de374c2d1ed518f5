import type { missionAmendCommand } from '../../cli/commands/mission/amend.ts'
import type { Handler } from '../../cli/declare.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Amendment } from './contract.ts'
import { amendmentEndpoints } from './endpoints.ts'

export const amendPath: Handler<typeof missionAmendCommand> = async (context, run, options) => {
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

export const pathText = (path: readonly string[]): string => path.join(' → ')
