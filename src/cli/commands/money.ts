import { InvalidArgumentError, Option } from 'commander'

import type { SetBudgetOptions } from '../../work/budgets/cli.ts'
import type { CostsOptions } from '../../work/spends/cli.ts'
import type { StopOptions } from '../../work/stops/cli.ts'
import type { Declaring } from './declaring.ts'
import { reference, whole } from './values.ts'

export function declareMoneyCommands({ program, offer, command, does }: Declaring): void {
  offer('Money:', 'costs', () => {
    command(program, 'costs', 'What model calls came to, by model', 'agency costs', 'agency costs --run run_7k2')
      .option('--run <id>', 'Only this run')
      .option('--mission <id>', 'Only this mission')
      .option('--org <org>', 'Only this organisation', reference)
      .option('--persona <slug>', 'Only what this persona did', reference)
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: CostsOptions) => (await import('../../work/spends/cli.ts')).showCosts(c, options)),
      )
  })
  offer('Money:', 'budget', () => {
    const budget = command(program, 'budget', 'Limit what may be used, and see what is left')
    command(
      budget,
      'set',
      'Limit a run, a mission, an organisation or a persona; "off" lifts a limit',
      'agency budget set --org development-1 --usd 20',
      'agency budget set --run run_7k2 --tokens 500000',
    )
      .option('--run <id>', 'Of this run')
      .option('--mission <id>', 'Of this mission')
      .option('--org <org>', 'Of this organisation, from now on', reference)
      .option('--persona <slug>', 'Of this persona, from now on', reference)
      .option(
        '--tokens <n>',
        'Tokens, or "off"',
        limitOf((text) => whole(1)(text)),
      )
      .option('--usd <amount>', 'US dollars, or "off"', limitOf(dollars))
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: SetBudgetOptions) => (await import('../../work/budgets/cli.ts')).setBudget(c, options)),
      )
    command(budget, 'list', 'Budgets with what is spent and set aside', 'agency budget list --scope organisation')
      .addOption(new Option('--scope <scope>', 'Only these').choices(['run', 'mission', 'persona', 'organisation']))
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: { scope?: string; json?: true }) =>
          (await import('../../work/budgets/cli.ts')).listBudgets(c, options),
        ),
      )
  })
  offer('Work:', 'stop', () => {
    command(
      program,
      'stop',
      'Launch nothing more and interrupt agents, everywhere or in one organisation, until "agency resume"',
      'agency stop --all --reason "too expensive"',
      'agency stop --org development-1',
    )
      .option('--all', 'Everything')
      .option('--org <org>', 'Only this organisation', reference)
      .option('--reason <text>', 'Why')
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: StopOptions) => (await import('../../work/stops/cli.ts')).stopLaunches(c, options)),
      )
  })
  offer('Work:', 'resume', () => {
    command(
      program,
      'resume',
      'Let a paused run go on; without a run, lift a stop',
      'agency resume run_7k2',
      'agency resume',
      'agency resume --org development-1',
    )
      .argument('[run]', 'Its id, or the beginning of it')
      .option('--org <org>', 'Lift the stop of this organisation', reference)
      .option('--json', 'As JSON')
      .action(
        does(async (c, run: string | undefined, options: { org?: string; json?: true }) =>
          (await import('../../work/stops/cli.ts')).resume(c, run, options),
        ),
      )
  })
}

const limitOf =
  (parse: (text: string) => number) =>
  (text: string): number | null =>
    /^(off|none|null)$/i.test(text) ? null : parse(text)

function dollars(text: string): number {
  const value = Number(text.replace(/^\$/, ''))
  if (value > 0 && value <= 1e6) return value
  throw new InvalidArgumentError('It must be an amount in US dollars, or "off".')
}
