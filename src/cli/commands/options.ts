import { argument, flag, type OptionSpec, required, value } from '../declare.ts'
import { amount, collect, reference, whole, yesNo } from './values.ts'

/** Arguments and options that several commands share, so that one word means the same everywhere. */
export const json = flag('--json', 'Print JSON')
export const preview = flag('--preview', 'Only print the changes that would be made')
export const file = value('--file <file>', 'Read from this file instead of standard input')
export const limit = (max?: number) =>
  value('--limit <n>', 'Maximum number of results', { parse: max === undefined ? whole(1) : whole(1, max) })

export const mission = argument('<mission>', 'Mission id, or its beginning', { parse: reference })
export const runOrGate = argument('<run-or-gate>', 'Run id, or its beginning, or a gate id', { parse: reference })

export const undoSeconds = value(
  '--undo-seconds <n>',
  'Let it take effect after so many seconds, and be undone until then',
  {
    parse: whole(0, 60),
  },
)

const organisation = 'Number, slug or name of the organisation'
export const org = required('--org <org>', organisation, { parse: reference })
/** The same for commands that work without it. */
export const orgOption = (summary = 'Organisation: its number, slug or name') =>
  value('--org <org>', summary, { parse: reference })
export const onlyOrg = orgOption('Only this organisation: its number, slug or name')
export const positionId = required('--position-id <id>', 'Number of the seat', { parse: whole(1) })
export const personaSlug = required('--persona-slug <slug>', 'Slug or name of the persona', { parse: reference })
export const slug = required('--slug <slug>', 'Slug or name of the persona', { parse: reference })

/** An option that is true without a value. */
export const trueFalse = <const Flag extends string>(
  flags: `--${Flag} [true|false]`,
  summary: string,
): OptionSpec<CamelFlag<Flag>, boolean, false> => ({ flags, summary, preset: 'true', parse: yesNo })

type CamelFlag<Flag extends string> = Flag extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelFlag<Tail>>}`
  : Flag

export const seatOptions = [
  value('--level <n>', 'Depth in the chart, from 1', { parse: whole(1, 100) }),
  value('--reports-to <title>', 'Seat above it; "operator": none'),
  value('--escalates-to <title>', 'Seat that gets its questions; "operator": directly to the operator'),
  trueFalse('--is-cross-cutting [true|false]', 'Whether it works across the lines'),
] as const

export const authorityKinds = [
  'spend_per_transaction',
  'spend_per_session',
  'spend_per_day',
  'tokens_per_session',
] as const

export const missionStatuses = [
  'backlog',
  'planning',
  'assigned',
  'in_progress',
  'review',
  'done',
  'failed',
  'paused',
  'cancelled',
] as const

export const executionOptions = [
  value('--timeout-minutes <n>', 'Maximum duration in minutes (15)', { parse: amount }),
  value('--token-budget <n>', 'Maximum number of tokens (50000)', { parse: whole(1) }),
  value('--model <name>', 'Model, for agents that offer a choice'),
  value('--binary <name>', 'Agent: claude, scripted (simulated), or the name of another runtime'),
  value('--program <command>', 'Your own program as agent, with its arguments'),
  value('--readable <path>', 'File or folder of this machine that its box shows; repeatable', { parse: collect }),
  value('--scenario <file>', 'Scenario for a scripted agent'),
  flag('--no-wait', 'Start it, print its run and do not wait'),
  json,
] as const

/** The run and brief of a note. */
export const scopeOptions = [
  value('--run <run>', 'Run of the note (operator): its id, or its beginning'),
  value('--as <who>', 'Fail unless the credentials are those of an agent', { choices: ['agent'] }),
  json,
] as const

/** The brief of a note, where its number alone does not tell. */
export const noteBrief = value('--brief <brief>', 'Brief of the note: its id, or its key with --run')

export const category = value('--category <category>', 'Subject of the note', {
  choices: [
    'technology',
    'architecture',
    'security',
    'requirements',
    'conflict',
    'consistency',
    'bug',
    'implementation',
    'documentation',
  ],
})
