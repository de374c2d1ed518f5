import { Argument, Command, type CommanderError, InvalidArgumentError, Option } from 'commander'

import type { LogOptions, ReportOptions } from '../work/attempts/cli.ts'
import type { EventsOptions } from '../events/cli.ts'
import type { CreateOptions } from '../work/missions/cli.ts'
import type { InspectOptions } from '../work/runs/cli/inspect.ts'
import type { WatchOptions } from '../work/runs/cli/watch.ts'
import type { RunsOptions, StartOptions } from '../work/runs/cli.ts'
import { version } from '../entries.ts'
import type { CliContext } from './context.ts'
import type { UpOptions } from './daemon.ts'
import type { ConfigOptions, DoctorOptions } from './offline.ts'

/** Something wrong with the words of the command line themselves. */
export class UsageError extends Error {
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

type Face<Args extends unknown[]> = (context: CliContext, ...args: Args) => Promise<number>

const runStatuses = ['planning', 'running', 'gated', 'paused', 'accepting', 'done', 'failed', 'cancelled']
const missionStatuses = [
  'backlog',
  'planning',
  'assigned',
  'in_progress',
  'review',
  'done',
  'failed',
  'paused',
  'cancelled',
]

/**
 * The whole command tree. Only names, options and examples live here; what a command does is loaded when it is called,
 * so that a command pays for nothing but itself.
 */
export function buildProgram(context: CliContext, exit: (code: number) => void): Command {
  const program = new Command('agency')
    .description('Runs organisations of AI agents: plans, runs, verifies and remembers their work.')
    .version(version, '--version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: false, helpWidth: Math.min(context.columns, 120) })
    .configureOutput({ writeErr: () => {} })
  catchUsage(program)
  program.addHelpText(
    'after',
    '\nEvery command has --help with an example. Exit: 0 done, 1 refused, 2 usage, 3 not found, 4 conflict.',
  )

  const does =
    <Args extends unknown[]>(face: Face<Args>) =>
    async (...args: unknown[]): Promise<void> =>
      exit(await face(context, ...(args as Args)))

  const command = (parent: Command, usage: string, summary: string, ...examples: string[]): Command => {
    const made = catchUsage(parent.command(usage).description(summary).helpOption('-h, --help', 'Show help'))
    if (examples.length > 0) made.addHelpText('after', `\nExample:\n${examples.map((line) => `  ${line}`).join('\n')}`)
    return made
  }

  program.commandsGroup('Daemon:')
  command(
    program,
    'up',
    'Start the daemon and print the dashboard’s address',
    'agency up',
    'agency up --foreground --port 8080',
  )
    .option('--foreground', 'Stay in this terminal; Ctrl-C stops it')
    .option('--demo', 'Play a small simulated mission, once')
    .option('--port <number>', 'TCP port; taken is an error', wholeText(0, 65_535))
    .action(does(async (c, options: UpOptions) => (await import('./daemon.ts')).up(c, options)))
  command(program, 'down', 'Stop the daemon; running work is taken up again at the next start', 'agency down').action(
    does(async (c) => (await import('./daemon.ts')).down(c)),
  )
  command(program, 'status', 'What the daemon is and does', 'agency status --json')
    .option('--json', 'As JSON')
    .action(does(async (c, options: { json?: true }) => (await import('./daemon.ts')).status(c, options)))
  command(program, 'open', 'Print a link that signs a browser in, once, and open it', 'agency open')
    .option('--path <path>', 'Where the link leads', '/')
    .action(does(async (c, options: { path?: string }) => (await import('./daemon.ts')).open(c, options)))
  command(
    program,
    'doctor',
    'Check this installation and say what to do',
    'agency doctor',
    'agency doctor --audit --replay',
  )
    .option('--audit', 'Recompute the chain of every event')
    .option('--replay [run]', 'Rebuild the tables from the events and compare; all, or one run')
    .option('--json', 'As JSON')
    .action(does(async (c, options: DoctorOptions) => (await import('./offline.ts')).doctor(c, options)))
  command(program, 'config', 'Every setting with its value', 'agency config --explain')
    .option('--explain', 'Say where each value comes from and what it does')
    .option('--json', 'As JSON')
    .action(does(async (c, options: ConfigOptions) => (await import('./offline.ts')).config(c, options)))

  program.commandsGroup('Work:')
  command(
    program,
    'run',
    'Start a run towards a goal; prints its id',
    'agency run "Write a haiku about rivers into poem.txt" --runtime scripted --evidence file:poem.txt',
    `agency run "Make it pass" --program "sh fix.sh" --evidence 'command:npm test' --watch`,
  )
    .argument('<goal>', 'What is to be achieved, in your words')
    .addOption(new Option('--playbook <name>', 'Way of working').choices(['direct']))
    .option('--runtime <name>', 'Kind of agent: scripted (simulated) or program')
    .option('--scenario <file>', 'What a scripted agent plays: a YAML file or a built-in name')
    .option('--program <command>', 'The program to run as agent, with its arguments')
    .option(
      '--evidence <kind:value>',
      'What proves it: file:PATH, command:CMD, artifact:PATH or JSON; repeatable',
      collect,
    )
    .option('--org <id>', 'Organisation', whole(1))
    .option('--mission <id>', 'Run this mission from the backlog')
    .option('--idle-minutes <n>', 'End an attempt silent for so long; "off": never', minutes)
    .option('--hard-minutes <n>', 'No attempt lasts longer; "off": no limit', minutes)
    .option('--watch', 'Follow it on stderr; exit 0 when done, 1 when failed')
    .option('--json', 'Print the whole run as JSON')
    .action(
      does(async (c, goal: string, options: StartOptions) =>
        (await import('../work/runs/cli.ts')).startRun(c, goal, options),
      ),
    )
  command(program, 'watch', 'Follow a run until it ends', 'agency watch run_7k2')
    .argument('<run>', 'Its id, or the beginning of it')
    .addOption(new Option('--level <level>', 'How much').choices(['normal', 'verbose']).default('normal'))
    .option('--from <seq>', 'Start at this event', whole(1))
    .option('--json', 'One event per line')
    .action(
      does(async (c, run: string, options: WatchOptions) =>
        (await import('../work/runs/cli/watch.ts')).watchRun(c, run, options),
      ),
    )
  command(
    program,
    'inspect',
    'A run with briefs, attempts, evidence, artifacts, events',
    'agency inspect run_7k2 --json',
  )
    .argument('<run>', 'Its id, or the beginning of it')
    .option('--brief <id>', 'Only this brief (id, its beginning, or key)')
    .option('--history', 'With --brief: everything that happened to it')
    .option('--artifacts', 'Only the artifacts')
    .option('--json', 'As JSON')
    .action(
      does(async (c, run: string, options: InspectOptions) =>
        (await import('../work/runs/cli/inspect.ts')).inspectRun(c, run, options),
      ),
    )
  command(program, 'runs', 'Runs, newest first', 'agency runs --status running')
    .addOption(new Option('--status <status>', 'Only these').choices(runStatuses))
    .option('--limit <n>', 'At most so many', whole(1))
    .option('--json', 'As JSON')
    .action(does(async (c, options: RunsOptions) => (await import('../work/runs/cli.ts')).listRuns(c, options)))
  command(program, 'cancel', 'Stop a run; its open briefs are cancelled', 'agency cancel run_7k2 --reason "wrong goal"')
    .argument('<run>', 'Its id, or the beginning of it')
    .option('--reason <text>', 'Why')
    .option('--json', 'As JSON')
    .action(
      does(async (c, run: string, options: { reason?: string; json?: true }) =>
        (await import('../work/runs/cli.ts')).cancelRun(c, run, options),
      ),
    )
  command(program, 'events', 'Everything that happened, newest page', 'agency events --follow')
    .option('--follow', 'Go on with what happens')
    .option('--kind <kinds>', 'Only these, comma-separated')
    .addOption(new Option('--level <level>', 'How much').choices(['normal', 'verbose']).default('normal'))
    .option('--after <position>', 'Start after this one', whole(0))
    .option('--limit <n>', 'At most so many', whole(1))
    .option('--json', 'One event per line')
    .action(does(async (c, options: EventsOptions) => (await import('../events/cli.ts')).listEvents(c, options)))

  const mission = command(program, 'mission', 'Write missions down, list and change them')
  command(
    mission,
    'create',
    'Write a mission down; it waits in the backlog',
    'agency mission create "Ship 1.0" --priority high',
  )
    .argument('<title>')
    .option('--description <text>')
    .addOption(new Option('--priority <priority>').choices(['low', 'medium', 'high', 'urgent']))
    .option('--acceptance <text>', 'When it counts as done')
    .option('--notes <text>', 'Context for whoever does it')
    .option('--tag <tag>', 'Repeatable', collect)
    .option('--deliverable <what>', 'Repeatable', collect)
    .option('--deadline <time>', 'ISO time, such as 2030-01-31T12:00:00Z')
    .option('--org <id>', 'Organisation', whole(1))
    .option('--json', 'As JSON')
    .action(
      does(async (c, title: string, options: CreateOptions) =>
        (await import('../work/missions/cli.ts')).createMission(c, title, options),
      ),
    )
  command(mission, 'list', 'Missions, newest first', 'agency mission list --status backlog')
    .addOption(new Option('--status <status>', 'Only these').choices(missionStatuses))
    .option('--json', 'As JSON')
    .action(
      does(async (c, options: { status?: string; json?: true }) =>
        (await import('../work/missions/cli.ts')).listMissions(c, options),
      ),
    )
  command(mission, 'show', 'One mission', 'agency mission show mis_3f')
    .argument('<mission>', 'Its id, or the beginning of it')
    .option('--json', 'As JSON')
    .action(
      does(async (c, id: string, options: { json?: true }) =>
        (await import('../work/missions/cli.ts')).showMission(c, id, options),
      ),
    )
  command(
    mission,
    'set',
    'Change a mission’s status',
    'agency mission set mis_3f --status paused --reason "waiting for legal"',
  )
    .argument('<mission>', 'Its id, or the beginning of it')
    .addOption(new Option('--status <status>').choices(missionStatuses).makeOptionMandatory())
    .option('--reason <text>', 'Why')
    .option('--json', 'As JSON')
    .action(
      does(async (c, id: string, options: { status: string; reason?: string; json?: true }) =>
        (await import('../work/missions/cli.ts')).setMission(c, id, options),
      ),
    )

  program.commandsGroup('For agents:')
  command(program, 'brief', 'Your brief: objective, context, evidence, what failed last time', 'agency brief')
    .option('--json', 'As JSON')
    .action(
      does(async (c, options: { json?: true }) => (await import('../work/attempts/cli.ts')).showBrief(c, options)),
    )
  command(program, 'log', 'Write a line into your run’s log', 'agency log "tests pass, writing docs"')
    .argument('<message>')
    .option('--verbose', 'Only for those who want every detail')
    .action(
      does(async (c, message: string, options: LogOptions) =>
        (await import('../work/attempts/cli.ts')).writeLog(c, message, options),
      ),
    )
  command(
    program,
    'report',
    'Say what you did; the last report of an attempt counts',
    'agency report --status done --summary "Wrote the haiku" --output poem.txt',
  )
    .addOption(new Option('--status <status>').choices(['done', 'partial', 'blocked']).makeOptionMandatory())
    .requiredOption('--summary <text>', 'What you did, or what blocks you')
    .option('--output <path...>', 'Files you produced, inside the workspace')
    .action(does(async (c, options: ReportOptions) => (await import('../work/attempts/cli.ts')).sendReport(c, options)))
  command(program, 'whoami', 'Who your credentials say you are', 'agency whoami')
    .option('--json', 'As JSON')
    .action(does(async (c, options: { json?: true }) => (await import('../work/attempts/cli.ts')).whoami(c, options)))
  command(program, 'mcp', 'Serve your attempt’s tools over stdio (MCP)', 'agency mcp').action(
    does(async () => (await import('./mcp.ts')).serveMcp()),
  )

  program.commandsGroup('Shell:')
  command(program, 'completion', 'Print a completion script', 'source <(agency completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(
      does(async (c, shell: 'bash' | 'zsh' | 'fish') => {
        c.out((await import('./completion.ts')).completionScript(program, shell))
        return 0
      }),
    )
  return program
}

/** A wrong word ends as one line and where to read on, not as a page of help. */
function catchUsage(command: Command): Command {
  return command.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0) throw error
    const path: string[] = []
    for (let each: Command | null = command; each !== null; each = each.parent) path.unshift(each.name())
    const hint = `${path.join(' ')} --help`
    if (error.code === 'commander.help') throw new UsageError(`${path.join(' ')}: which of ${names(command)}?`, hint)
    throw new UsageError(oneLine(error.message), hint)
  })
}

const names = (command: Command): string => command.commands.map((each) => each.name()).join(', ')

const oneLine = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/\s*\n\(Did you mean (.*)\?\)/s, (_, meant: string) => `; did you mean ${meant}?`)
    .trim()

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

const whole =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`It must be a whole number ${range}.`)
  }

const wholeText =
  (min: number, max: number) =>
  (text: string): string =>
    String(whole(min, max)(text))

const minutes = (text: string): number | null => {
  if (/^(off|null|none)$/i.test(text)) return null
  const value = Number(text)
  if (value > 0 && value <= 100_000) return value
  throw new InvalidArgumentError('It must be a positive number of minutes, or "off".')
}
