import type { CliContext } from '../../cli/context.ts'
import { countText, moneyText } from '../../cli/money.ts'
import { tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Budget } from './contract.ts'

export interface SetBudgetOptions {
  run?: string
  mission?: string
  org?: string
  persona?: string
  tokens?: number | null
  usd?: number | null
  json?: true
}

export async function setBudget(context: CliContext, options: SetBudgetOptions): Promise<number> {
  const of = [options.run, options.mission, options.org, options.persona].filter((each) => each !== undefined)
  if (of.length !== 1)
    throw refusal('invalid_input', 'whose? give exactly one of --run, --mission, --org and --persona')
  if (options.tokens === undefined && options.usd === undefined)
    throw refusal('invalid_input', 'how much? give --tokens, --usd or both')
  const budget = await context.api().call<Wire<Budget>>('PUT', '/budgets', {
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

export async function listBudgets(context: CliContext, options: { scope?: string; json?: true }): Promise<number> {
  const answer = await context.api().get<{ budgets: Wire<Budget>[] }>('/budgets', { scope: options.scope })
  if (options.json) context.json(answer)
  else if (answer.budgets.length === 0) context.out('no budgets; agency budget set --org <org> --usd 20 makes one')
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
