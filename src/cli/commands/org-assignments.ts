import type { Command } from 'commander'

import type { AssignmentsOptions, SeatingOptions } from '../../org/assignments/cli.ts'
import type { Form } from '../answers.ts'
import type { Declaring } from './declaring.ts'
import { reference } from './values.ts'
import { org, personaSlug, positionId, preview } from './org-options.ts'

export function declareAssignmentCommands({ command, does }: Declaring, group: Command): void {
  group.commandsGroup('Who sits where:')
  command(group, 'assign', 'Seat a persona', 'agency org assign --position-id 5 --persona-slug developer-con-5')
    .addOption(positionId())
    .addOption(personaSlug())
    .option('--reassign', 'Replace whoever sits there')
    .option('--json', 'As JSON')
    .action(does(async (c, options: SeatingOptions & { reassign?: true }) => (await face()).assign(c, options)))
  command(group, 'unassign', 'Empty a seat; the history keeps who sat there', 'agency org unassign --position-id 5')
    .addOption(positionId())
    .addOption(preview())
    .option('--json', 'As JSON')
    .action(
      does(async (c, options: Form & { positionId: number; preview?: true }) => (await face()).unassign(c, options)),
    )
  command(
    group,
    'assignments',
    'Who sits where, and who did before',
    'agency org assignments --org development --include-history',
  )
    .addOption(org())
    .option('--include-history', 'Also who has left')
    .option('--persona-slug <slug>', 'Only this persona', reference)
    .option('--json', 'As JSON')
    .action(does(async (c, options: AssignmentsOptions) => (await face()).listAssignments(c, options)))
  command(group, 'vacancies', 'Empty seats', 'agency org vacancies --org development')
    .addOption(org())
    .option('--json', 'As JSON')
    .action(does(async (c, options: Form & { org: string }) => (await face()).listVacancies(c, options)))
  command(group, 'available-personas', 'Personas that hold no seat', 'agency org available-personas')
    .option('--json', 'As JSON')
    .action(does(async (c, options: Form) => (await face()).listAvailablePersonas(c, options)))
  command(
    group,
    'assess-fit',
    'A seat’s role, the intent and a persona’s skills side by side; the verdict is yours',
    'agency org assess-fit --position-id 5 --persona-slug developer-con-5',
  )
    .addOption(positionId())
    .addOption(personaSlug())
    .option('--json', 'As JSON')
    .action(does(async (c, options: SeatingOptions) => (await face()).assessFit(c, options)))
}

const face = () => import('../../org/assignments/cli.ts')
