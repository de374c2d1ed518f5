import type { Tx } from '../../db/port.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Governed } from '../changes.ts'
import type { ProjectedPersona, CurrentState, ProjectedRole } from './projection.ts'
import type { Plan } from './plan.ts'

/** The values that all steps of one import share. */
export interface ImportContext {
  tx: Tx
  by: Actor
  governed: Governed
  current: CurrentState
  plan: Plan
}

/** Return the ids of rows that existed before or have just been created. */
export type RoleIds = (role: ProjectedRole | null) => number
export type PersonaIds = (persona: ProjectedPersona) => number
