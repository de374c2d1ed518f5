import { type Command, Option } from 'commander'

import type { AuthorityOptions, RemoveOptions, SeatOptions, ShowOptions } from '../../org/positions/cli.ts'
import type { Form } from '../answers.ts'
import type { Declaring } from './declaring.ts'
import { amount, whole } from './values.ts'
import { anyOrg, org, positionId, preview, trueFalse } from './org-options.ts'

export function declarePositionCommands(declaring: Declaring, group: Command): void {
  const { command, does } = declaring
  group.commandsGroup('Positions:')
  const position = command(group, 'position', 'The seats of an organisation').commandsGroup('Positions:')
  command(
    position,
    'create',
    'Add a seat; seats name each other by title',
    'agency org position create --org development --title "QA Lead" --role qa --level 3 --reports-to "Project Manager"',
  )
    .addOption(org())
    .requiredOption('--title <title>', 'What it is called; once per organisation')
    .requiredOption('--role <role>', 'Name of its role')
    .option('--level <n>', 'Depth in the chart, from 1', whole(1, 100))
    .option('--reports-to <title>', 'The seat above; "operator": none')
    .option('--escalates-to <title>', 'Where its questions go; "operator": straight there')
    .addOption(trueFalse('--is-cross-cutting', 'Whether it works across the lines'))
    .option('--json', 'As JSON')
    .action(does(async (c, options: SeatOptions & { org: string }) => (await face()).createPosition(c, options)))
  command(position, 'list', 'All seats with their holders', 'agency org position list --org development')
    .addOption(org())
    .option('--json', 'As JSON')
    .action(does(async (c, options: Form & { org: string }) => (await face()).listPositions(c, options)))
  command(
    position,
    'show',
    'One seat: holder, lines, direct reports',
    'agency org position show --org development --title "Project Manager"',
    'agency org position show --position-id 3',
  )
    .addOption(anyOrg('With --title: where it is'))
    .option('--title <title>', 'Its title')
    .option('--position-id <id>', 'Its number, instead of the two', whole(1))
    .option('--json', 'As JSON')
    .action(does(async (c, options: ShowOptions) => (await face()).showPosition(c, options)))
  command(
    position,
    'update',
    'Change what is given, leave the rest',
    'agency org position update --position-id 5 --title "Backend Developer"',
  )
    .addOption(positionId())
    .option('--title <title>', 'What it is called')
    .option('--role <role>', 'Name of its role')
    .option('--level <n>', 'Depth in the chart, from 1', whole(1, 100))
    .option('--reports-to <title>', 'The seat above; "operator": none')
    .option('--escalates-to <title>', 'Where its questions go; "operator": straight there')
    .addOption(trueFalse('--is-cross-cutting', 'Whether it works across the lines'))
    .option('--json', 'As JSON')
    .action(does(async (c, options: SeatOptions & { positionId: number }) => (await face()).updatePosition(c, options)))
  command(
    position,
    'remove',
    'Take a seat away',
    'agency org position remove --position-id 3 --preview',
    'agency org position remove --position-id 3 --reparent --unassign',
  )
    .addOption(positionId())
    .addOption(preview())
    .option('--reparent', 'Hand its direct reports to the seat above it')
    .option('--unassign', 'Empty it first')
    .option('--force', 'Also where it is the lead seat')
    .option('--json', 'As JSON')
    .action(does(async (c, options: RemoveOptions) => (await face()).removePosition(c, options)))
  declareAuthority(declaring, position)
}

const kinds = ['spend_per_transaction', 'spend_per_session', 'spend_per_day', 'tokens_per_session']

function declareAuthority({ command, does }: Declaring, position: Command): void {
  const authority = command(position, 'authority', 'What a seat may spend').commandsGroup('Positions:')
  command(
    authority,
    'set',
    'Set one limit',
    'agency org position authority set --position-id 5 --kind spend_per_day --limit 20 --unit USD --on-breach gate',
  )
    .addOption(positionId())
    .addOption(new Option('--kind <kind>', 'Of what').choices(kinds).makeOptionMandatory())
    .requiredOption('--limit <n>', 'How much at most', amount)
    .requiredOption('--unit <unit>', 'Of what unit: USD, EUR, tokens')
    .addOption(
      new Option('--on-breach <what>', 'What then happens')
        .choices(['refuse', 'gate', 'hard_stop'])
        .makeOptionMandatory(),
    )
    .option('--json', 'As JSON')
    .action(does(async (c, options: AuthorityOptions) => (await face()).setAuthority(c, options)))
  command(authority, 'list', 'Its limits', 'agency org position authority list --position-id 5')
    .addOption(positionId())
    .option('--json', 'As JSON')
    .action(does(async (c, options: Form & { positionId: number }) => (await face()).listAuthority(c, options)))
  command(
    authority,
    'clear',
    'Drop one limit',
    'agency org position authority clear --position-id 5 --kind spend_per_day',
  )
    .addOption(positionId())
    .addOption(new Option('--kind <kind>', 'Which one').choices(kinds).makeOptionMandatory())
    .option('--json', 'As JSON')
    .action(
      does(async (c, options: Form & { positionId: number; kind: string }) =>
        (await face()).clearAuthority(c, options),
      ),
    )
}

const face = () => import('../../org/positions/cli.ts')
