import { Argument, Option } from 'commander'

import type { DemoOptions } from '../../daemon/demos/cli.ts'
import type { NotificationsOptions } from '../../notify/cli.ts'
import type { UpOptions } from '../daemon.ts'
import type { ConfigOptions, DoctorOptions } from '../offline.ts'
import type { Declaring } from './declaring.ts'
import { whole, wholeText } from './values.ts'

export function declareDaemonCommands({ program, offer, command, does }: Declaring): void {
  offer('Daemon:', 'up', () => {
    command(
      program,
      'up',
      'Start the daemon and print the dashboard’s address',
      'agency up',
      'agency up --foreground --port 8080',
    )
      .option('--foreground', 'Stay in this terminal; Ctrl-C stops it')
      .option('--demo', 'Play a simulated tiered run in a small organisation, once')
      .option('--no-seed', 'Begin without any organisation, to import one; counts at the first start of a home')
      .option('--port <number>', 'TCP port; taken is an error', wholeText(0, 65_535))
      .action(does(async (c, options: UpOptions) => (await import('../daemon.ts')).up(c, options)))
  })
  offer('Daemon:', 'down', () => {
    command(program, 'down', 'Stop the daemon; running work is taken up again at the next start', 'agency down').action(
      does(async (c) => (await import('../daemon.ts')).down(c)),
    )
  })
  offer('Daemon:', 'status', () => {
    command(program, 'status', 'What the daemon is and does', 'agency status --json')
      .option('--json', 'As JSON')
      .action(does(async (c, options: { json?: true }) => (await import('../daemon.ts')).status(c, options)))
  })
  offer('Daemon:', 'demo', () => {
    command(
      program,
      'demo',
      'Play a demonstration with simulated agents and follow it to its end',
      'agency demo tiered --profile medium',
      'agency demo tiered --manual',
    )
      .addArgument(new Argument('[playbook]', 'What it plays').choices(['tiered', 'direct']).default('tiered'))
      .addOption(new Option('--profile <depth>', 'For tiered: how deep it goes').choices(['full', 'medium', 'simple']))
      .option('--manual', 'Its gates wait for you; otherwise it approves them itself after a moment')
      .addOption(new Option('--level <level>', 'How much of it to show').choices(['normal', 'verbose']))
      .option('--json', 'Only start it, and print the run as JSON')
      .hook('preAction', (demo) => {
        if (demo.processedArgs[0] === 'direct' && demo.opts<DemoOptions>().profile !== undefined)
          demo.error('--profile is for tiered: the demonstration of direct has one depth')
      })
      .action(
        does(async (c, playbook: string, options: DemoOptions) =>
          (await import('../../daemon/demos/cli.ts')).playDemo(c, playbook, options),
        ),
      )
  })
  offer('Daemon:', 'open', () => {
    command(program, 'open', 'Print a link that signs a browser in, once, and open it', 'agency open')
      .option('--path <path>', 'Where the link leads', '/')
      .action(does(async (c, options: { path?: string }) => (await import('../daemon.ts')).open(c, options)))
  })
  offer('Daemon:', 'doctor', () => {
    command(
      program,
      'doctor',
      'Check this installation and say what to do',
      'agency doctor',
      'agency doctor --audit --replay',
      'agency doctor --team team.yaml',
    )
      .option('--audit', 'Recompute the chain of every event')
      .option('--team <file>', 'Only look at a team file: what it comes to here, or what is wrong with it')
      .option('--replay [run]', 'Rebuild the tables from the events and compare; all, or one run')
      .option('--json', 'As JSON')
      .action(does(async (c, options: DoctorOptions) => (await import('../offline.ts')).doctor(c, options)))
  })
  offer('Daemon:', 'config', () => {
    command(program, 'config', 'Every setting with its value', 'agency config --explain')
      .option('--explain', 'Say where each value comes from and what it does')
      .option('--json', 'As JSON')
      .action(does(async (c, options: ConfigOptions) => (await import('../offline.ts')).config(c, options)))
  })
  offer('Daemon:', 'notify', () => {
    const notify = command(program, 'notify', 'How people are told what waits for them: try it, look back')
    command(
      notify,
      'test',
      'Send a test message and say who took it; exit 1 when somebody did not',
      'agency notify test',
      'agency notify test --adapter slack',
    )
      .option('--adapter <name>', 'Only this notifier of config.yaml')
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: { adapter?: string; json?: true }) =>
          (await import('../../notify/cli.ts')).testNotifiers(c, options),
        ),
      )
    command(
      notify,
      'list',
      'What people were told, newest first, and how it reached them',
      'agency notify list --status failed',
    )
      .addOption(new Option('--status <status>', 'Only these').choices(['waiting', 'sent', 'failed']))
      .option('--limit <n>', 'At most so many', whole(1))
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: NotificationsOptions) =>
          (await import('../../notify/cli.ts')).listNotifications(c, options),
        ),
      )
  })
}
