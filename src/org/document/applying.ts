import type { Tx } from '../../db/port.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Governed } from '../changes.ts'
import type { PersonaAfter, Present, RoleAfter } from './after.ts'
import type { Plan } from './plan.ts'

/** What all steps of one import share. */
export interface Applying {
  tx: Tx
  by: Actor
  governed: Governed
  present: Present
  plan: Plan
}

/** Numbers of rows that were there or have just been made. */
export type RoleIds = (role: RoleAfter | null) => number
export type PersonaIds = (persona: PersonaAfter) => number
