import type { budgetListCommand } from '../../cli/commands/budget/list.ts'
import type { budgetSetCommand } from '../../cli/commands/budget/set.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { countText, moneyText } from '../../kernel/amounts.ts'
import { refusal } from '../../kernel/errors.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import type { Budget } from './contract.ts'
import { budgetEndpoints } from './endpoints.ts'

export const setBudget: Handler<typeof budgetSetCommand> = async (context, options) => {
  const scopes = [options.run, options.mission, options.org, options.persona].filter((each) => each !== undefined)
  if (scopes.length !== 1)
    throw refusal('invalid_input', 'a budget has one scope: add exactly one of --run, --mission, --org and --persona')
  if (options.tokens === undefined && options.usd === undefined)
    throw refusal('invalid_input', 'no limit is given: add --tokens, --usd or both')
  const budget = await context.api().call<Wire<Budget>>(budgetEndpoints.set, {
    run_id: options.run,
    mission_id: options.mission,
    organisation: options.org,
    persona: options.persona,
    tokens: options.tokens,
    usd: options.usd,
  })
  if (options.json) context.json(budget)
  else for (const line of budgetLines(context, [budget])) context.out(line)
  return 0
}

export const listBudgets: Handler<typeof budgetListCommand> = async (context, { scope, org, json }) => {
  const answer = await context.api().call<{ budgets: Wire<Budget>[] }>(budgetEndpoints.list, {
    scope,
    organisation_id: await organisationId(context, org),
  })
  if (json) context.json(answer)
  else if (answer.budgets.length === 0) context.out('no budgets; "agency budget set --org <org> --usd 20" creates one')
  else for (const line of budgetLines(context, answer.budgets)) context.out(line)
  return 0
}

function budgetLines(context: CliContext, budgets: readonly Wire<Budget>[]): string[] {
  const rows = budgets.map((budget) => [
    budget.scope,
    budget.scope_id,
    budget.token_limit === null ? '-' : countText(budget.token_limit),
    countText(budget.tokens_spent),
    countText(budget.tokens_reserved),
    budget.cost_limit_micros === null ? '-' : moneyText(budget.cost_limit_micros),
    moneyText(budget.micros_spent),
    moneyText(budget.micros_reserved),
  ])
  const columns = [
    { title: 'OF' },
    { title: 'ID', flexible: true },
    { title: 'TOKENS', right: true },
    { title: 'SPENT', right: true },
    { title: 'SET ASIDE', right: true },
    { title: 'COST', right: true },
    { title: 'SPENT', right: true },
    { title: 'SET ASIDE', right: true },
  ] as const
  return tableLines(context, columns, rows)
}
