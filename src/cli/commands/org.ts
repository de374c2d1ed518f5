import { Option } from 'commander'

import type { TreeOptions } from '../../org/chart/cli.ts'
import type { DocumentOptions, ExportOptions, ImportOptions } from '../../org/document/cli.ts'
import type { CreateOptions, OrgOptions, UpdateOptions } from '../../org/organisations/cli.ts'
import type { ProposeOptions } from '../../org/proposals/cli.ts'
import type { RouteOptions, WhoAmIOptions } from '../../org/routing/cli.ts'
import type { Form } from '../answers.ts'
import type { Declaring } from './declaring.ts'
import { reference, whole } from './values.ts'
import { declareAssignmentCommands } from './org-assignments.ts'
import { anyOrg, file, listLeaves, org, preview } from './org-options.ts'
import { declarePersonaCommands } from './org-personas.ts'
import { declarePositionCommands } from './org-positions.ts'

export function declareOrgCommands(declaring: Declaring): void {
  declaring.offer('Organisation:', 'org', () => {
    const { program, command } = declaring
    const group = command(program, 'org', 'Organisations, roles, seats, personas, who sits where')
    listLeaves(group)
    declareOrganisations(declaring, group)
    declareDocuments(declaring, group)
    declareReading(declaring, group)
    declareContent(declaring, group)
    declareRoles(declaring, group)
    declarePositionCommands(declaring, group)
    declarePersonaCommands(declaring, group)
    declareAssignmentCommands(declaring, group)
  })
}

type Parent = ReturnType<Declaring['command']>

function declareOrganisations({ command, does }: Declaring, group: Parent): void {
  group.commandsGroup('Organisations:')
  command(
    group,
    'create',
    'Make an organisation, with its directory and intent.md',
    'agency org create --name "Kent Ventures" --purpose economy --description "Small bets"',
  )
    .requiredOption('--name <name>', 'What it is called')
    .requiredOption('--purpose <purpose>', 'What it is for, in a word or two; begins its slug')
    .option('--description <text>', 'In a sentence or two')
    .option('--json', 'As JSON')
    .action(does(async (c, options: CreateOptions) => (await organisations()).createOrganisation(c, options)))
  command(group, 'list', 'All organisations', 'agency org list --all')
    .option('--all', 'Archived ones too')
    .option('--json', 'As JSON')
    .action(does(async (c, options: Form & { all?: true }) => (await organisations()).listOrganisations(c, options)))
  command(group, 'show', 'One organisation', 'agency org show --org development')
    .addOption(org())
    .option('--json', 'As JSON')
    .action(does(async (c, options: OrgOptions) => (await organisations()).showOrganisation(c, options)))
  command(
    group,
    'update',
    'Change its name, description, status or lead seat',
    'agency org update --org development --status dormant',
  )
    .addOption(org())
    .option('--name <name>', 'A new name, and with it a new slug and directory')
    .option('--description <text>', 'In a sentence or two')
    .addOption(new Option('--status <status>', 'What it becomes').choices(['active', 'dormant', 'archived']))
    .option('--lead-position <id>', 'The seat that speaks for it; "none": nobody', leadSeat)
    .option('--json', 'As JSON')
    .action(does(async (c, options: UpdateOptions) => (await organisations()).updateOrganisation(c, options)))
  command(
    group,
    'archive',
    'Put it away; update --status active brings it back',
    'agency org archive --org development --preview',
  )
    .addOption(org())
    .addOption(preview())
    .option('--json', 'As JSON')
    .action(
      does(async (c, options: OrgOptions & { preview?: true }) =>
        (await organisations()).archiveOrganisation(c, options),
      ),
    )
  command(group, 'status', 'Seats filled and vacant, live agents', 'agency org status --org development')
    .addOption(org())
    .option('--json', 'As JSON')
    .action(does(async (c, options: OrgOptions) => (await organisations()).organisationStatus(c, options)))
  command(group, 'get', 'Its settings, or the value of one', 'agency org get --org development governance')
    .argument('[key]', 'Only this one')
    .addOption(org())
    .option('--json', 'As JSON')
    .action(
      does(async (c, key: string | undefined, options: OrgOptions) =>
        (await organisations()).getSettings(c, key, options),
      ),
    )
  command(group, 'set', 'Change one setting', 'agency org set --org development governance enforce')
    .argument('<key>', 'Which one; "agency org get" lists them', reference)
    .argument('<value>')
    .addOption(org())
    .option('--json', 'As JSON')
    .action(
      does(async (c, key: string, value: string, options: OrgOptions) =>
        (await organisations()).setSetting(c, key, value, options),
      ),
    )
}

function declareDocuments({ command, does }: Declaring, group: Parent): void {
  group.commandsGroup('The document:')
  command(
    group,
    'export',
    'The organisation as a document: structure, intent, who sits where',
    'agency org export --org development > development.yaml',
    'agency org export --org development | agency org validate',
  )
    .addOption(org())
    .addOption(
      new Option('--format <format>', 'How it is written').choices(['yaml', 'json', 'markdown']).default('yaml'),
    )
    .option('--positions-only', 'Only the seats')
    .option('--role <role>', 'Only seats of this role')
    .option('--all-roles', 'Roles too that no seat has')
    .option('--json', 'The same as --format json')
    .action(does(async (c, options: ExportOptions) => (await document()).exportOrganisation(c, options)))
  command(
    group,
    'import',
    'Make the store agree with a document; nothing is ever deleted',
    'agency org import --file development.yaml --preview',
    'agency org export --org development | agency org import --preview',
  )
    .addOption(file())
    .addOption(preview())
    .option('--atomic', 'All of it or nothing (this is always so)')
    .option('--force', 'Replace who sits there; rename roles and personas that are shared')
    .option('--with-intent', 'Write the intent of an organisation that exists already')
    .option('--json', 'As JSON')
    .action(does(async (c, options: ImportOptions) => (await document()).importDocument(c, options)))
  command(
    group,
    'validate',
    'What is wrong with a document, one line each; exit 1 where anything is',
    'agency org validate --file development.yaml',
  )
    .addOption(file())
    .option('--json', 'As JSON')
    .action(does(async (c, options: DocumentOptions) => (await document()).validateDocument(c, options)))
  command(
    group,
    'propose',
    'Lay a changed document before the AR Director or the operator',
    'agency org propose --file changed.yaml --reason "We need a second tester"',
  )
    .addOption(file())
    .requiredOption('--reason <text>', 'Why')
    .option('--json', 'As JSON')
    .action(does(async (c, options: ProposeOptions) => (await proposals()).propose(c, options)))
  command(group, 'proposals', 'What has been proposed and waits', 'agency org proposals --org development --all')
    .addOption(org())
    .option('--all', 'Decided ones too')
    .option('--json', 'As JSON')
    .action(does(async (c, options: OrgOptions & { all?: true }) => (await proposals()).listProposals(c, options)))
  const proposal = command(group, 'proposal', 'Decide about a proposal').commandsGroup('The document:')
  command(proposal, 'apply', 'Import what was proposed', 'agency org proposal apply 3')
    .argument('<proposal-id>', 'Which one', whole(1))
    .option('--force', 'Also where somebody else sits by now')
    .option('--json', 'As JSON')
    .action(
      does(async (c, id: number, options: Form & { force?: true }) =>
        (await proposals()).applyProposal(c, id, options),
      ),
    )
  command(proposal, 'reject', 'Turn it down', 'agency org proposal reject 3 --reason "Not this quarter"')
    .argument('<proposal-id>', 'Which one', whole(1))
    .requiredOption('--reason <text>', 'Why not')
    .option('--json', 'As JSON')
    .action(
      does(async (c, id: number, options: Form & { reason: string }) =>
        (await proposals()).rejectProposal(c, id, options),
      ),
    )
}

function declareReading({ command, does }: Declaring, group: Parent): void {
  group.commandsGroup('Finding your way:')
  command(
    group,
    'tree',
    'The chart: who reports to whom, who sits there, what is vacant',
    'agency org tree --org development',
  )
    .addOption(org())
    .option('--mermaid', 'As a Mermaid diagram')
    .option('--json', 'The seats as JSON')
    .action(does(async (c, options: TreeOptions) => (await import('../../org/chart/cli.ts')).showTree(c, options)))
  command(
    group,
    'whoami',
    'A persona’s card: seat, lines, peers, intent',
    'agency org whoami --persona-slug architect-robbo-3',
  )
    .option('--persona-slug <slug>', 'Its slug, or its name; an agent may leave it out', reference)
    .addOption(anyOrg('Only its seats there'))
    .option('--json', 'As JSON')
    .action(does(async (c, options: WhoAmIOptions) => (await import('../../org/routing/cli.ts')).whoami(c, options)))
  command(
    group,
    'route',
    'Who an address means now: seat and persona',
    'agency org route --from persona:developer-con-5 --to escalation',
    'agency org route --to "role:qa@development"',
  )
    .option('--from <address>', 'persona:SLUG; an agent may leave it out')
    .requiredOption(
      '--to <address>',
      'persona:SLUG, position:TITLE@ORG, role:NAME@ORG, manager, escalation or operator',
    )
    .addOption(anyOrg('Where the address names no organisation'))
    .option('--json', 'As JSON')
    .action(does(async (c, options: RouteOptions) => (await import('../../org/routing/cli.ts')).route(c, options)))
}

function declareContent({ command, does }: Declaring, group: Parent): void {
  group.commandsGroup('Intent:')
  const intent = command(group, 'intent', 'What the organisation wants').commandsGroup('Intent:')
  command(intent, 'read', 'Print intent.md', 'agency org intent read --org development')
    .addOption(org())
    .option('--json', 'As JSON, with the four lists read from it')
    .action(does(async (c, options: OrgOptions) => (await organisations()).readIntent(c, options)))
  command(
    intent,
    'write',
    'Replace intent.md; the last one is kept as intent.md.bak',
    'agency org intent write --org development --file intent.md',
  )
    .addOption(org())
    .addOption(file())
    .option('--json', 'As JSON')
    .action(does(async (c, options: OrgOptions & { file?: string }) => (await organisations()).writeIntent(c, options)))
}

function declareRoles({ command, does }: Declaring, group: Parent): void {
  group.commandsGroup('Roles:')
  const role = command(group, 'role', 'Roles, shared by all organisations').commandsGroup('Roles:')
  command(role, 'create', 'Add a role', 'agency org role create --name qa --description "Quality and acceptance"')
    .requiredOption('--name <name>', 'What it is called')
    .option('--description <text>', 'What it does')
    .option('--json', 'As JSON')
    .action(
      does(async (c, options: Form & { name: string }) =>
        (await import('../../org/roles/cli.ts')).createRole(c, options),
      ),
    )
  command(role, 'list', 'All roles', 'agency org role list')
    .option('--json', 'As JSON')
    .action(does(async (c, options: Form) => (await import('../../org/roles/cli.ts')).listRoles(c, options)))
  command(role, 'update', 'Change its description', 'agency org role update --name qa --description "Finds faults"')
    .requiredOption('--name <name>', 'Which one', reference)
    .requiredOption('--description <text>', 'What it does')
    .option('--json', 'As JSON')
    .action(
      does(async (c, options: Form & { name: string; description: string }) =>
        (await import('../../org/roles/cli.ts')).updateRole(c, options),
      ),
    )
}

const organisations = () => import('../../org/organisations/cli.ts')
const document = () => import('../../org/document/cli.ts')
const proposals = () => import('../../org/proposals/cli.ts')

const leadSeat = (text: string): number | null => (text === 'none' ? null : whole(1)(text))
