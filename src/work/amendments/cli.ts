import { url } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Amendment } from './contract.ts'

export interface AmendOptions {
  workstream?: string
  addTiers?: string[]
  removeTiers?: string[]
  insertBefore?: string
  reason?: string
  json?: true
}

export async function amendPath(context: CliContext, run: string, options: AmendOptions): Promise<number> {
  const amendment = await context.api().post<Wire<Amendment>>(url`/runs/${run}/amendments`, {
    workstream: options.workstream,
    add_tiers: options.addTiers,
    remove_tiers: options.removeTiers,
    insert_before: options.insertBefore,
    reason: options.reason,
  })
  if (options.json) context.json(amendment)
  else
    context.out(`${amendment.workstream}: ${pathText(amendment.before_path)} becomes ${pathText(amendment.after_path)}`)
  return 0
}

export const pathText = (path: readonly string[]): string => path.join(' → ')
