import { type Command, Option } from 'commander'

import type { AddOptions, PlaceOptions, SettleOptions } from '../../work/notes/cli.ts'
import type { Declaring } from './declaring.ts'

const categories = [
  'technology',
  'architecture',
  'security',
  'requirements',
  'conflict',
  'consistency',
  'bug',
  'implementation',
  'documentation',
]

export function declareNoteCommands({ program, offer, command, does }: Declaring): void {
  offer('For agents:', 'note', () => {
    const note = command(program, 'note', 'What you assume or doubt: write it down, settle it, hand it up')
    placed(
      command(
        note,
        'add',
        'Write down an assumption or a doubt; prints its id',
        'agency note add "Dates are UTC" --context "the brief names no zone" --category requirements',
        'agency note add "Dates are UTC" --context "asked by legal" --run run_7k2 --brief main',
      )
        .argument('<description>')
        .requiredOption('--context <text>', 'Where it came up, and why it matters'),
      'Which brief: its id, or its key with --run (operator)',
    )
      .addOption(new Option('--category <category>', 'What it is about').choices(categories))
      .action(
        does(async (c, description: string, options: AddOptions) =>
          (await import('../../work/notes/cli.ts')).addNote(c, description, options),
        ),
      )
    placed(
      command(note, 'list', 'Notes of your brief, or of a run', 'agency note list --run run_7k2 --status open'),
      'Only of this brief: its id, or its key with --run',
    )
      .addOption(new Option('--status <status>', 'Only these').choices(['open', 'resolved', 'escalated']))
      .action(
        does(async (c, options: PlaceOptions & { status?: string }) =>
          (await import('../../work/notes/cli.ts')).listNotes(c, options),
        ),
      )
    placed(command(note, 'show', 'One note', 'agency note show note_001 --run run_7k2').argument('<note>')).action(
      does(async (c, id: string, options: PlaceOptions) =>
        (await import('../../work/notes/cli.ts')).showNote(c, id, options),
      ),
    )
    settling(
      command(
        note,
        'resolve',
        'Settle a note that is yours to decide',
        'agency note resolve note_001 "named as its neighbours are" --category consistency',
      )
        .argument('<note>')
        .argument('<resolution>'),
    ).action(
      does(async (c, id: string, resolution: string, options: SettleOptions) =>
        (await import('../../work/notes/cli.ts')).resolveNote(c, id, resolution, options),
      ),
    )
    settling(
      command(
        note,
        'escalate',
        'Hand a note up: it becomes a question',
        'agency note escalate note_001 "two databases would do" --category technology',
      )
        .argument('<note>')
        .argument('<reason>'),
    ).action(
      does(async (c, id: string, reason: string, options: SettleOptions) =>
        (await import('../../work/notes/cli.ts')).escalateNote(c, id, reason, options),
      ),
    )
  })
}

const settling = (command: Command): Command =>
  placed(command).addOption(new Option('--category <category>', 'What it is about').choices(categories))

function placed(command: Command, brief?: string): Command {
  if (brief !== undefined) command.option('--brief <brief>', brief)
  return command
    .option('--run <run>', 'Which run (operator): its id, or the beginning of it')
    .addOption(new Option('--as <who>', 'Refuse to act as anybody else').choices(['agent']))
    .option('--json', 'As JSON')
}
