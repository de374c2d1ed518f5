import type { Tx } from '../../db/port.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Governed } from '../changes.ts'
import type { PersonaAfter, Present, RoleAfter } from './projection.ts'
import type { Plan } from './plan.ts'

/** The values that all steps of one import share. */
export interface Applying {
  tx: Tx
  by: Actor
  governed: Governed
  present: Present
  plan: Plan
}

/** Return the ids of rows that existed before or have just been created. */
export type RoleIds = (role: RoleAfter | null) => number
export type PersonaIds = (persona: PersonaAfter) => number
