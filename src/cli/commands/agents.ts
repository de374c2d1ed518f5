import { Argument, Option } from 'commander'

import type { LogOptions, ReportOptions } from '../../work/attempts/cli.ts'
import type { Declaring } from './declaring.ts'

export function declareAgentCommands({ program, offer, command, does, wholeTree }: Declaring): void {
  offer('For agents:', 'brief', () => {
    command(program, 'brief', 'Your brief: objective, context, evidence, what failed last time', 'agency brief')
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: { json?: true }) => (await import('../../work/attempts/cli.ts')).showBrief(c, options)),
      )
  })
  offer('For agents:', 'log', () => {
    command(program, 'log', 'Write a line into your run’s log', 'agency log "tests pass, writing docs"')
      .argument('<message>')
      .option('--verbose', 'Only for those who want every detail')
      .action(
        does(async (c, message: string, options: LogOptions) =>
          (await import('../../work/attempts/cli.ts')).writeLog(c, message, options),
        ),
      )
  })
  offer('For agents:', 'report', () => {
    command(
      program,
      'report',
      'Say what you did; the last report of an attempt counts',
      'agency report --status done --summary "Wrote the haiku" --output poem.txt',
    )
      .addOption(
        new Option('--status <status>', 'How it went').choices(['done', 'partial', 'blocked']).makeOptionMandatory(),
      )
      .requiredOption('--summary <text>', 'What you did, or what blocks you')
      .option('--output <path...>', 'Files you produced, inside the workspace')
      .option('--remaining <text>', 'With partial: what is left to do')
      .action(
        does(async (c, options: ReportOptions) => (await import('../../work/attempts/cli.ts')).sendReport(c, options)),
      )
  })
  offer('For agents:', 'whoami', () => {
    command(program, 'whoami', 'Who your credentials say you are', 'agency whoami')
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: { json?: true }) => (await import('../../work/attempts/cli.ts')).whoami(c, options)),
      )
  })
  offer('For agents:', 'mcp', () => {
    command(program, 'mcp', 'Serve your attempt’s tools over stdio (MCP)', 'agency mcp').action(
      does(async () => (await import('../mcp.ts')).serveMcp()),
    )
  })
  offer('Shell:', 'completion', () => {
    command(program, 'completion', 'Print a completion script', 'source <(agency completion bash)')
      .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
      .action(
        does(async (c, shell: 'bash' | 'zsh' | 'fish') => {
          c.out((await import('../completion.ts')).completionScript(wholeTree(), shell))
          return 0
        }),
      )
  })
}
