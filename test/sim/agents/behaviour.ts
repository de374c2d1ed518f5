import type { StepInput } from '../../../src/adapters/runtime/scripted/contract.ts'
import type { LaunchStep } from '../../../src/adapters/runtime/port.ts'
import type { Outcome } from '../../../src/work/attempts/contract.ts'
import type { Random } from '../random.ts'

/** Behaviour of an agent in one attempt. */
export interface Behaviour {
  readonly name: string
  readonly steps: readonly StepInput[]
  /** Possible outcomes without interference; `interrupted` is always possible, and a report can get lost. */
  readonly outcomes: readonly Outcome[]
  /** The outcome according to its report, which counts if the daemon died before the attempt ended. */
  readonly reported?: Outcome
  readonly cannotStart?: boolean
  /** The name of the behaviour that the provider cut short. */
  readonly cutShort?: string
}

export interface Task {
  readonly kind: 'work' | 'plan' | 'verify'
  /** Name of the output in the objective, without its extension. */
  readonly subject: string
  readonly attempt: number
  readonly prompt: string
  /** The playbook's step and its inputs. */
  readonly step?: LaunchStep | undefined
  readonly isDiligent?: boolean
  /** The organisation has a lead: agents ask more. */
  readonly hasLead?: boolean
  /** Longer than any deadline of the run. */
  readonly tooLongMs: number
}

export type Draw = (task: Task, random: Random) => Omit<Behaviour, 'name'>
