import type { Actor } from '../kernel/actor.ts'
import type { InputOf, Operation, OutputOf } from './contract.ts'

/** An operation and what answers it. Parsing, authority by kind of actor, errors and statuses are the server's, once for all. */
export interface Route {
  readonly operation: Operation
  readonly handle: (by: Actor, input: never) => Promise<unknown>
}

export type Handlers<Group extends Record<string, Operation>> = {
  readonly [Name in keyof Group]: (by: Actor, input: InputOf<Group[Name]>) => Promise<OutputOf<Group[Name]>>
}

/** Every operation of the group, or the compiler complains. */
export const bind = <Group extends Record<string, Operation>>(operations: Group, handlers: Handlers<Group>): Route[] =>
  Object.entries(operations).map(([name, operation]) => ({ operation, handle: handlers[name] as Route['handle'] }))
