import type { costsCommand } from '../../cli/commands/costs.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { faint, plain, startOfDay, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { counted, countText, moneyText } from '../../kernel/amounts.ts'
import type { OutputOf } from '../../operations/contract.ts'
import type { ModelCost, spendOperations } from './contract.ts'
import { spendEndpoints } from './endpoints.ts'

export const showCosts: Handler<typeof costsCommand> = async (context, options) => {
  const costs = await context.api().call<Wire<OutputOf<typeof spendOperations.summary>>>(spendEndpoints.summary, {
    run_id: options.run,
    mission_id: options.mission,
    organisation: options.org,
    persona: options.persona,
    since: options.today ? startOfDay(context.nowMs()) : undefined,
  })
  if (options.json) {
    context.json(costs)
    return 0
  }
  if (costs.models.length === 0) {
    context.out(options.today ? 'no model calls today' : 'no model calls yet')
    return 0
  }
  for (const line of modelLines(context, costs.models)) context.out(line)
  context.out(
    `total: ${counted(costs.calls, 'call')}, ${countText(costs.tokens)} tokens, ${moneyText(costs.cost_micros)}`,
  )
  if (costs.unpriced_calls > 0)
    context.out(faint(context, `${countText(costs.unpriced_calls)} without a known price, not included in the total`))
  if (costs.simulated_calls > 0)
    context.out(
      faint(
        context,
        `simulated, not included in the total: ${counted(costs.simulated_calls, 'call')}, ${countText(costs.simulated_tokens)} tokens`,
      ),
    )
  return 0
}

/** Formats the cost of one model for `agency inspect`. */
export const modelLine = (model: Wire<ModelCost>): string =>
  `${costText(model)}, ${plain(model.model ?? 'unnamed model')}, ${countText(model.calls)} ${model.calls === 1 ? 'call' : 'calls'}${markOf(model)}`

const markOf = ({ simulated, claimed }: Wire<ModelCost>): string =>
  simulated ? ' (simulated)' : claimed ? ' (claimed)' : ''

function modelLines(context: CliContext, models: readonly Wire<ModelCost>[]): string[] {
  const rows = models.map((model) => [
    `${plain(model.model ?? 'unnamed')}${markOf(model)}`,
    plain(model.provider ?? '-'),
    countText(model.calls),
    countText(model.input_tokens),
    countText(model.output_tokens),
    countText(model.cache_read_tokens),
    costText(model),
  ])
  const columns = [
    { title: 'MODEL', flexible: true },
    { title: 'PROVIDER' },
    { title: 'CALLS', right: true },
    { title: 'INPUT', right: true },
    { title: 'OUTPUT', right: true },
    { title: 'CACHED', right: true },
    { title: 'COST', right: true },
  ] as const
  return tableLines(context, columns, rows)
}

const costText = ({ calls, unpriced_calls, cost_micros }: Wire<ModelCost>): string =>
  unpriced_calls === calls ? 'unpriced' : `${moneyText(cost_micros)}${unpriced_calls === 0 ? '' : ' + unpriced'}`
