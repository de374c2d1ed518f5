import type { budgetListCommand } from '../../cli/commands/budget/list.ts'
import type { budgetSetCommand } from '../../cli/commands/budget/set.ts'
import type { Handler } from '../../cli/declare.ts'
import { tableLines, type Terminal } from '../../cli/terminal.ts'
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

/** Formats budgets, each with a line for its money and one for its tokens. */
export function budgetLines(context: Terminal, budgets: readonly Wire<Budget>[]): string[] {
  const rows = budgets.flatMap((budget) => {
    const { token_limit, tokens_spent, tokens_reserved, cost_limit_micros, micros_spent, micros_reserved } = budget
    // A line per limit: with all of them in one line, the columns of tokens and of money had the same names.
    return [
      lineOf(budget, 'money', moneyText, [cost_limit_micros, micros_spent, micros_reserved]),
      lineOf(budget, 'tokens', countText, [token_limit, tokens_spent, tokens_reserved]),
    ]
  })
  const columns = [
    { title: 'OF' },
    { title: 'ID', flexible: true },
    { title: 'KIND' },
    { title: 'SPENT', right: true },
    { title: 'SET ASIDE', right: true },
    { title: 'LIMIT', right: true },
    { title: 'LEFT', right: true },
  ] as const
  return tableLines(context, columns, rows)
}

function lineOf(
  { scope, scope_id }: Wire<Budget>,
  kind: string,
  textOf: (amount: number) => string,
  [limit, spent, reserved]: readonly [limit: number | null, spent: number, reserved: number],
): string[] {
  const left = limit === null ? '-' : textOf(Math.max(0, limit - spent - reserved))
  return [scope, scope_id, kind, textOf(spent), textOf(reserved), limit === null ? 'none' : textOf(limit), left]
}
