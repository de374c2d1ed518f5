import { type Command, Option } from 'commander'

import type {
  ArchiveOptions,
  CreateOptions,
  ExperienceOptions,
  ListOptions,
  SkillOptions,
  SlugOptions,
  UpdateOptions,
} from '../../org/personas/cli.ts'
import type { ImportOptions } from '../../org/personas/cli/import.ts'
import type { Declaring } from './declaring.ts'
import { file, preview, slug, trueFalse } from './org-options.ts'

export function declarePersonaCommands({ command, does }: Declaring, group: Command): void {
  group.commandsGroup('Personas:')
  const persona = command(group, 'persona', 'Personas, whatever organisation they work in').commandsGroup('Personas:')
  command(
    persona,
    'create',
    'Make a persona, with skill.md and experience.md; a new role is made too',
    'agency org persona create --name Con --role developer',
  )
    .requiredOption('--name <name>', 'What it is called')
    .requiredOption('--role <role>', 'Name of its role')
    .addOption(new Option('--type <type>', 'Of what kind').choices(['agent', 'person']))
    .addOption(new Option('--subtype <subtype>', 'Ours, or somebody else’s').choices(['internal', 'external']))
    .option('--can-create-channel', 'It may open channels')
    .option('--json', 'As JSON')
    .action(does(async (c, options: CreateOptions) => (await face()).createPersona(c, options)))
  command(
    persona,
    'list',
    'Personas with role, slug, status, live agents',
    'agency org persona list --active --role qa',
  )
    .option('--active', 'Leave archived ones out')
    .option('--role <role>', 'Only of this role')
    .option('--all', 'The system’s and those from the pool too')
    .option('--json', 'As JSON')
    .action(does(async (c, options: ListOptions) => (await face()).listPersonas(c, options)))
  command(
    persona,
    'show',
    'One persona, its seats in all organisations, its files',
    'agency org persona show --slug architect-robbo-3',
  )
    .addOption(slug())
    .option('--json', 'As JSON')
    .action(does(async (c, options: SlugOptions) => (await face()).showPersona(c, options)))
  command(
    persona,
    'update',
    'Change name, role or status; slug and directory stay',
    'agency org persona update --slug architect-robbo-3 --status active',
  )
    .addOption(slug())
    .option('--name <name>', 'What it is called')
    .option('--role <role>', 'Name of its role')
    .addOption(new Option('--status <status>', 'What it becomes').choices(['active', 'archived']))
    .addOption(trueFalse('--can-create-channel', 'Whether it may open channels'))
    .option('--unassign', 'With --status archived: empty its seats first')
    .option('--json', 'As JSON')
    .action(does(async (c, options: UpdateOptions) => (await face()).updatePersona(c, options)))
  command(
    persona,
    'archive',
    'Put it away; update --status active brings it back',
    'agency org persona archive --slug developer-con-5 --unassign',
  )
    .addOption(slug())
    .option('--unassign', 'Empty the seats that it holds first')
    .addOption(preview())
    .option('--json', 'As JSON')
    .action(does(async (c, options: ArchiveOptions) => (await face()).archivePersona(c, options)))
  command(
    persona,
    'skill',
    'Print skill.md, or replace it',
    'agency org persona skill --slug developer-con-5 --write --file skill.md',
  )
    .addOption(slug())
    .option('--write', 'Replace it, from --file or standard input')
    .addOption(file())
    .option('--json', 'As JSON')
    .action(does(async (c, options: SkillOptions) => (await face()).personaSkill(c, options)))
  command(
    persona,
    'experience',
    'Print experience.md, add to it or replace it',
    'agency org persona experience --slug developer-con-5 --append "Migrations need a lock"',
  )
    .addOption(slug())
    .option('--append [text]', 'Add this, or what comes from --file or standard input')
    .option('--write', 'Replace it, from --file or standard input')
    .addOption(file())
    .option('--json', 'As JSON')
    .action(does(async (c, options: ExperienceOptions) => (await face()).personaExperience(c, options)))
  command(
    persona,
    'import',
    'Personas from .claude/agents or a folder of agents; tells what was skipped and why',
    'agency org persona import .claude/agents --preview',
  )
    .argument('<folder>', 'The folder, or a project that has .claude/agents')
    .option('--role <role>', 'For all of them')
    .addOption(preview())
    .option('--json', 'As JSON')
    .action(
      does(async (c, folder: string, options: ImportOptions) =>
        (await import('../../org/personas/cli/import.ts')).importPersonas(c, folder, options),
      ),
    )
}

const face = () => import('../../org/personas/cli.ts')
