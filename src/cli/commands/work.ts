import { Option } from 'commander'

import type { AgentsOptions } from '../../work/agents/cli.ts'
import type { EventsOptions } from '../../events/cli.ts'
import type { AmendOptions } from '../../work/amendments/cli.ts'
import type { CreateOptions } from '../../work/missions/cli.ts'
import type { InspectOptions } from '../../work/runs/cli/inspect.ts'
import type { WatchOptions } from '../../work/runs/cli/watch.ts'
import type { RunsOptions, StartOptions } from '../../work/runs/cli.ts'
import type { Declaring } from './declaring.ts'
import { addedTiers, amount, collect, minutes, removedTiers, whole } from './values.ts'

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

export function declareWorkCommands({ program, offer, command, does }: Declaring): void {
  offer('Work:', 'run', () => {
    command(
      program,
      'run',
      'Start a run towards a goal; prints its id',
      'agency run "Write a haiku about rivers into poem.txt" --runtime scripted --evidence file:poem.txt',
      'agency run "Add a --json flag to the CLI" --repo . --evidence \'command:npm test\'',
    )
      .argument('[goal]', 'What is to be achieved, in your words')
      .option('--plan <file>', 'A YAML file with the whole run, or - for standard input; --preview only shows it')
      .addOption(new Option('--preview', 'With --plan: show its briefs in order, start nothing').hideHelp())
      .addOption(new Option('--playbook <name>', 'Way of working').choices(['direct', 'tiered']))
      .option('--team <file>', 'For tiered: who does what; --strict: every gate is on')
      .addOption(new Option('--strict', 'For tiered: every gate is on').hideHelp())
      .option('--runtime <name>', 'claude-code, llm, program or scripted (simulated); --option name=value for it')
      .option('--scenario <file>', 'What a scripted agent plays: a YAML file or a built-in name')
      .option('--program <command>', 'The program to run as agent, with its arguments')
      .option(
        '--evidence <kind:value>',
        'What proves it (tiered: every task): file:PATH, command:CMD, artifact:PATH, JSON; repeatable',
        collect,
      )
      .option('--repo <path>', 'A git repository: work happens in clones of it and ends as a pull request')
      .option('--base <branch>', 'With --repo: start from and merge to this branch; without it, the one checked out')
      .addOption(new Option('--mode <mode>', 'What an agent may do unasked').choices(['yolo', 'cautious', 'plan_only']))
      .option('--org <id>', 'Organisation', whole(1))
      .option('--mission <id>', 'Run this mission from the backlog')
      .addOption(
        new Option('--verify <what>', 'What a verifier judges; auto: what has no checkable evidence').choices([
          'auto',
          'all',
          'none',
        ]),
      )
      .option('--planner', 'An agent writes the plan first')
      .option('--plan-gate', 'Nothing starts before you approve the plan')
      .addOption(
        new Option('--acceptance <by>', 'operator: the result waits for your approval').choices(['auto', 'operator']),
      )
      .addOption(
        new Option('--on-limit <what>', 'When a brief used up its retries: ask you, or fail the run').choices([
          'ask',
          'fail',
        ]),
      )
      .option('--tokens <n>', 'Tokens that the run may use', whole(1))
      .option('--usd <amount>', 'US dollars that the run may cost', amount)
      // Rarely said, and in a plan as well: help stays on a screen.
      .addOption(new Option('--option <name=value>', 'For the runtime; repeatable').argParser(collect).hideHelp())
      .addOption(
        new Option('--idle-minutes <n>', 'End an attempt silent for so long; "off": never')
          .argParser(minutes)
          .hideHelp(),
      )
      .addOption(
        new Option('--hard-minutes <n>', 'No attempt lasts longer; "off": no limit').argParser(minutes).hideHelp(),
      )
      .option('--watch', 'Follow it on stderr; exit 0 when done, 1 when failed')
      .option('--json', 'Print the whole run as JSON')
      .hook('preAction', (run) => {
        const { plan, preview } = run.opts<StartOptions>()
        if (plan === undefined && run.args.length === 0) run.error("missing argument 'goal', or --plan <file>")
        if (run.args[0]?.trim() === '') run.error('the goal is empty: say what is to be achieved')
        if (plan === undefined && preview) run.error('--preview shows a plan: give it with --plan <file>')
      })
      .action(
        does(async (c, goal: string | undefined, options: StartOptions) =>
          (await import('../../work/runs/cli.ts')).startRun(c, goal, options),
        ),
      )
  })
  offer('Work:', 'watch', () => {
    command(program, 'watch', 'Follow a run until it ends', 'agency watch run_7k2')
      .argument('<run>', 'Its id, or the beginning of it')
      .addOption(new Option('--level <level>', 'How much; without it, as its team says').choices(['normal', 'verbose']))
      .option('--from <seq>', 'Start at this event', whole(1))
      .option('--json', 'One event per line')
      .action(
        does(async (c, run: string, options: WatchOptions) =>
          (await import('../../work/runs/cli/watch.ts')).watchRun(c, run, options),
        ),
      )
  })
  offer('Work:', 'pr', () => {
    const pr = command(program, 'pr', 'Pull requests: what runs want to bring into repositories', 'agency pr list')
    command(pr, 'list', 'Pull requests, the newest first', 'agency pr list --status open')
      .addOption(new Option('--status <status>', 'Only these').choices(['open', 'merged', 'closed']))
      .option('--limit <n>', 'At most so many', whole(1, 500))
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: { status?: string; limit?: number; json?: true }) =>
          (await import('../../work/pull-requests/cli.ts')).listPullRequests(c, options),
        ),
      )
    command(pr, 'show', 'What one changes, and what proves it', 'agency pr show run_7k2')
      .argument('<run>', 'The run, or the beginning of its id')
      .option('--json', 'As JSON')
      .action(
        does(async (c, run: string, options: { json?: true }) =>
          (await import('../../work/pull-requests/cli.ts')).showPullRequest(c, run, options),
        ),
      )
    command(pr, 'diff', 'The changes of a run, or of one brief', 'agency pr diff run_7k2', 'agency pr diff brf_7k2')
      .argument('<run-or-brief>', 'A run, or the beginning of its id, or a brief')
      .option('--path <path>', 'Only this file or folder')
      .option('--json', 'As JSON')
      .action(
        does(async (c, target: string, options: { path?: string; json?: true }) =>
          (await import('../../work/pull-requests/cli.ts')).showDiff(c, target, options),
        ),
      )
  })
  offer('Work:', 'inspect', () => {
    command(
      program,
      'inspect',
      'A run with everything in it; on a terminal, a tree to walk through',
      'agency inspect run_7k2 --gates',
    )
      .argument('[run]', 'Its id, or the beginning of it')
      .option('--brief <id>', 'Only this brief (id, its beginning, or key)')
      .option('--history', 'With --brief: everything that happened to it')
      .addOption(
        new Option('--tier <tier>', 'Only what this tier has made and is at').choices(['t1', 't2', 't3', 't4', 't5']),
      )
      .option('--gates', 'Only the gates: what was produced, what comes next')
      .option('--questions', 'Only the questions')
      .option('--escalations', 'Only who handed what to whom')
      .option('--verdicts', 'Only the verdicts')
      .option('--notes', 'Only the notes')
      .option('--artifacts', 'Only the artifacts')
      .option('--amendments', 'Only the changes of its path')
      .option('--schemas', 'Without a run: the JSON Schemas of the documents of a tiered run')
      .option('--config', 'Only what it was started with')
      .option('--tiers', 'Only who does what in which tier; without a run, of one that would begin now')
      .option('--team <file>', 'With --tiers: of this team file')
      .option('--plain', 'No tree to walk through, also on a terminal')
      .option('--json', 'As JSON')
      .hook('preAction', (inspect) => {
        const { tiers, team, schemas } = inspect.opts<InspectOptions>()
        if (!tiers && !schemas && inspect.args.length === 0) inspect.error("missing argument 'run', or --tiers")
        if (!tiers && team !== undefined) inspect.error('--team goes with --tiers')
      })
      .action(
        does(async (c, run: string | undefined, options: InspectOptions) =>
          options.schemas
            ? (await import('../offline.ts')).printSchemas(c)
            : options.tiers
              ? (await import('../../team/cli/tiers.ts')).showTiers(c, run, options)
              : (await import('../../work/runs/cli/inspect.ts')).inspectRun(c, run ?? '', options),
        ),
      )
  })
  offer('Work:', 'runs', () => {
    command(program, 'runs', 'Runs, newest first', 'agency runs --status running')
      .addOption(new Option('--status <status>', 'Only these').choices(runStatuses))
      .option('--limit <n>', 'At most so many', whole(1))
      .option('--json', 'As JSON')
      .action(does(async (c, options: RunsOptions) => (await import('../../work/runs/cli.ts')).listRuns(c, options)))
  })
  offer('Work:', 'agent', () => {
    const agent = command(program, 'agent', 'Agents: who is or was at work', 'agency agent list --run run_7k2')
    command(agent, 'list', 'The agents of a run, or those at work in any', 'agency agent list --run run_7k2')
      .option('--run <run>', 'Its id, or the beginning of it')
      .option('--limit <n>', 'At most so many', whole(1, 10_000))
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: AgentsOptions) => (await import('../../work/agents/cli.ts')).listAgents(c, options)),
      )
  })
  offer('Work:', 'cancel', () => {
    command(
      program,
      'cancel',
      'Stop a run; its open briefs are cancelled',
      'agency cancel run_7k2 --reason "wrong goal"',
    )
      .argument('<run>', 'Its id, or the beginning of it')
      .option('--reason <text>', 'Why')
      .option('--json', 'As JSON')
      .action(
        does(async (c, run: string, options: { reason?: string; json?: true }) =>
          (await import('../../work/runs/cli.ts')).cancelRun(c, run, options),
        ),
      )
  })
  offer('Work:', 'events', () => {
    command(program, 'events', 'Everything that happened, newest page', 'agency events --follow')
      .option('--follow', 'Go on with what happens')
      .option('--kind <kinds>', 'Only these, comma-separated')
      .addOption(new Option('--level <level>', 'How much').choices(['normal', 'verbose']).default('normal'))
      .option('--after <position>', 'Start after this one', whole(0))
      .option('--limit <n>', 'At most so many', whole(1))
      .option('--json', 'One event per line')
      .action(does(async (c, options: EventsOptions) => (await import('../../events/cli.ts')).listEvents(c, options)))
  })
  offer('Work:', 'mission', () => {
    const mission = command(program, 'mission', 'Write missions down, list and change them')
    command(
      mission,
      'create',
      'Write a mission down; it waits in the backlog',
      'agency mission create "Ship 1.0" --priority high',
    )
      .argument('<title>')
      .option('--description <text>', 'What it is about')
      .addOption(new Option('--priority <priority>', 'How urgent it is').choices(['low', 'medium', 'high', 'urgent']))
      .option('--acceptance <text>', 'When it counts as done')
      .option('--notes <text>', 'Context for whoever does it')
      .option('--tag <tag>', 'Repeatable', collect)
      .option('--deliverable <what>', 'Repeatable', collect)
      .option('--deadline <time>', 'ISO time, such as 2030-01-31T12:00:00Z')
      .option('--org <id>', 'Organisation', whole(1))
      .option('--json', 'As JSON')
      .action(
        does(async (c, title: string, options: CreateOptions) =>
          (await import('../../work/missions/cli.ts')).createMission(c, title, options),
        ),
      )
    command(mission, 'list', 'Missions, newest first', 'agency mission list --status backlog')
      .addOption(new Option('--status <status>', 'Only these').choices(missionStatuses))
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: { status?: string; json?: true }) =>
          (await import('../../work/missions/cli.ts')).listMissions(c, options),
        ),
      )
    command(mission, 'show', 'One mission', 'agency mission show mis_3f')
      .argument('<mission>', 'Its id, or the beginning of it')
      .option('--json', 'As JSON')
      .action(
        does(async (c, id: string, options: { json?: true }) =>
          (await import('../../work/missions/cli.ts')).showMission(c, id, options),
        ),
      )
    command(
      mission,
      'set',
      'Change a mission’s status',
      'agency mission set mis_3f --status paused --reason "waiting for legal"',
    )
      .argument('<mission>', 'Its id, or the beginning of it')
      .addOption(new Option('--status <status>', 'What it becomes').choices(missionStatuses).makeOptionMandatory())
      .option('--reason <text>', 'Why')
      .option('--json', 'As JSON')
      .action(
        does(async (c, id: string, options: { status: string; reason?: string; json?: true }) =>
          (await import('../../work/missions/cli.ts')).setMission(c, id, options),
        ),
      )
    command(
      mission,
      'amend',
      'Change the tiers that a workstream of a tiered run goes through',
      'agency mission amend run_7k2 --workstream api --add-tiers t2 --insert-before t3 --reason "two services meet"',
    )
      .argument('<run>', 'Its id, or the beginning of it')
      .requiredOption('--workstream <id>', 'Which one')
      .option('--add-tiers <tiers>', 'Tiers that it goes through besides, comma-separated', addedTiers)
      .addOption(
        new Option('--insert-before <tier>', 'The tier of its path that they come before').choices(['t3', 't4', 't5']),
      )
      .option('--remove-tiers <tiers>', 'Tiers that it does without, comma-separated', removedTiers)
      .requiredOption('--reason <text>', 'Why')
      .option('--json', 'As JSON')
      .hook('preAction', (amend) => {
        const { addTiers, removeTiers } = amend.opts<AmendOptions>()
        if (addTiers === undefined && removeTiers === undefined)
          amend.error('nothing would change: give --add-tiers <tiers> or --remove-tiers <tiers>')
      })
      .action(
        does(async (c, run: string, options: AmendOptions) =>
          (await import('../../work/amendments/cli.ts')).amendPath(c, run, options),
        ),
      )
  })
}
