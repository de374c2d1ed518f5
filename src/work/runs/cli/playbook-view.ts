import type { EventLine } from '../../../events/cli.ts'
import type { Inspection } from './inspection.ts'
import type { Screen } from './views.ts'

/** The command line's view of the runs of one playbook, beside the parts that every run has. */
export interface PlaybookView {
  /** Formats the state of a run, instead of the list of its briefs. */
  overview(screen: Screen, shown: Inspection): string[]
  /** The divisions that a reader can ask for, from the highest to the lowest. */
  readonly levels: readonly string[]
  /** Formats the state of one division in a line. */
  levelText(screen: Screen, shown: Inspection, level: string): string
  /** Formats everything of one division. */
  levelLines(screen: Screen, shown: Inspection, level: string): string[]
  /** Returns everything of one division, for JSON. */
  ofLevel(shown: Inspection, level: string): unknown
  /** Returns the fields that the JSON of a run has besides its rows. */
  summary(shown: Inspection): Record<string, unknown>
  /** Formats the verdicts that are documents of the playbook. */
  verdictLines(screen: Screen, shown: Inspection): string[]
  /** Returns the rank of an escalation's receiver: the higher, the further up. */
  rankOf(receiver: string): number
  /** Completes the events of a run with the division that they belong to. */
  tagged(print: (event: EventLine) => void, shown?: Inspection): (event: EventLine) => void
}
