import { type Command, Option } from 'commander'

import type { ExecOptions } from '../../work/mission-workspaces/executions/cli.ts'
import type { Declaring } from './declaring.ts'
import { amount, collect, whole } from './values.ts'

export function declareWorkspaceCommands({ program, offer, command, does }: Declaring): void {
  offer('Work:', 'workspace', () => {
    const workspace = command(
      program,
      'workspace',
      'The directories that missions work in, and single steps in them',
      'agency workspace create mis_4x --path coding/webapp/app1',
      'agency workspace exec mis_4x --prompt "Add a README"',
    )
    const face = () => import('../../work/mission-workspaces/cli.ts')
    const onMission = (name: string, summary: string, example: string): Command =>
      command(workspace, name, summary, example).argument('<mission>', 'Its id, or the beginning of it')

    onMission('create', 'Make a mission’s workspace; prints where it is', 'agency workspace create mis_4x --repo .')
      .option('--path <path>', '<category>/[<kind>/]<slug>; a slug that is taken gets a number')
      .option('--repo <path>', 'A git repository: the workspace is a clone of it')
      .option('--json', 'As JSON')
      .action(
        does(async (c, mission: string, options: { path?: string; repo?: string; json?: true }) =>
          (await face()).createWorkspace(c, mission, options),
        ),
      )
    command(workspace, 'list', 'Workspaces with their disk use', 'agency workspace list')
      .option('--all', 'Those that were removed, too')
      .option('--json', 'As JSON')
      .action(does(async (c, options: { all?: true; json?: true }) => (await face()).listWorkspaces(c, options)))
    onMission('show', 'Where it is, what may be done in it, who works there', 'agency workspace show mis_4x')
      .option('--json', 'As JSON')
      .action(
        does(async (c, mission: string, options: { json?: true }) => (await face()).showWorkspace(c, mission, options)),
      )
    onMission('ls', 'The files of a folder', 'agency workspace ls mis_4x src')
      .argument('[path]', 'A folder inside')
      .option('--json', 'As JSON')
      .action(
        does(async (c, mission: string, path: string | undefined, options: { json?: true }) =>
          (await face()).listFiles(c, mission, path, options),
        ),
      )
    onMission('cat', 'A file as it is', 'agency workspace cat mis_4x README.md')
      .argument('<file>', 'A file inside')
      .action(does(async (c, mission: string, file: string) => (await face()).printFile(c, mission, file)))
    onMission(
      'check',
      'Whether a path may be written or read from inside, and by which rule',
      'agency workspace check mis_4x --write /etc/x',
    )
      .addOption(new Option('--write <path>', 'May it be written?').conflicts('read'))
      .option('--read <path>', 'May it be read?')
      .option('--json', 'As JSON')
      .hook('preAction', (check) => {
        const { write, read } = check.opts<{ write?: string; read?: string }>()
        if (write === undefined && read === undefined) check.error('give --write <path> or --read <path>')
      })
      .action(
        does(async (c, mission: string, options: { write?: string; read?: string; json?: true }) =>
          (await face()).checkAccess(c, mission, options),
        ),
      )
    onMission('rm', 'Remove it; mission and log stay', 'agency workspace rm mis_4x')
      .option('--force', 'Also where what is in its clone cannot be kept')
      .option('--json', 'As JSON')
      .action(
        does(async (c, mission: string, options: { force?: true; json?: true }) =>
          (await face()).removeWorkspace(c, mission, options),
        ),
      )
    command(workspace, 'disk', 'What takes how much of the disk', 'agency workspace disk')
      .option('--json', 'As JSON')
      .action(does(async (c, options: { json?: true }) => (await face()).showDisk(c, options)))

    const steps = () => import('../../work/mission-workspaces/executions/cli.ts')
    const step = (made: Command): Command =>
      made
        .option('--timeout-minutes <n>', 'End it after this (15)', amount)
        .option('--token-budget <n>', 'Tokens it may use (50000)', whole(1))
        .option('--model <name>', 'For agents that let one choose')
        .option('--binary <name>', 'Which agent: claude, scripted (simulated), or the name of another runtime')
        .option('--program <command>', 'A program of your own as agent, with its arguments')
        .option('--scenario <file>', 'What a scripted agent plays')
        .option('--no-wait', 'Start it and print its run')
        .option('--json', 'As JSON')
    step(
      onMission(
        'exec',
        'Let an agent do one thing in it; prints what it printed, then what git says was changed',
        'agency workspace exec mis_4x --prompt "Add a README" --mode cautious',
      )
        .requiredOption('--prompt <text>', 'What is to be done')
        .addOption(new Option('--mode <mode>', 'What it may do unasked').choices(['yolo', 'cautious', 'plan_only']))
        .option('--context <file>', 'A file to read first; repeatable', collect),
    ).action(does(async (c, mission: string, options: ExecOptions) => (await steps()).execute(c, mission, options)))
    step(
      onMission(
        'review',
        'Let an agent look at it and say what it finds; nothing is changed',
        'agency workspace review mis_4x --focus security',
      ).option('--focus <text>', 'What to look for above all'),
    ).action(
      does(async (c, mission: string, options: Omit<ExecOptions, 'prompt'> & { focus?: string }) =>
        (await steps()).review(c, mission, options),
      ),
    )
  })
}
