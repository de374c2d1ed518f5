import type { Actor } from '../kernel/actor.ts'
import type { InputOf, Operation, OutputOf } from './contract.ts'

/** An operation and what answers it. Parsing, authority by kind of actor, errors and statuses are the server's, once for all. */
export interface Route {
  readonly operation: Operation
  readonly handle: (by: Actor, input: never) => Promise<unknown>
  /** The live answer of an operation that `streams`; it ends by itself only where nothing more can come. */
  readonly stream?: (by: Actor, input: never, signal: AbortSignal) => Promise<Streamed>
}

export type Streamed = AsyncIterable<readonly StreamItem[]>

export interface StreamItem {
  /** Where to resume after it. */
  readonly id: number
  readonly kind: string
  /** As it travels: already in the names of the wire. */
  readonly data: unknown
}

export type Handlers<Group extends Record<string, Operation>> = {
  readonly [Name in keyof Group]: (by: Actor, input: InputOf<Group[Name]>) => Promise<OutputOf<Group[Name]>>
}

export type StreamHandlers<Group extends Record<string, Operation>> = {
  readonly [Name in keyof Group]?: (by: Actor, input: InputOf<Group[Name]>, signal: AbortSignal) => Promise<Streamed>
}

/** Every operation of the group, or the compiler complains. */
export const bind = <Group extends Record<string, Operation>>(
  operations: Group,
  handlers: Handlers<Group>,
  streams: StreamHandlers<Group> = {},
): Route[] =>
  Object.entries(operations).map(([name, operation]) => {
    const stream = streams[name] as Route['stream']
    const handle = handlers[name] as Route['handle']
    return stream === undefined ? { operation, handle } : { operation, handle, stream }
  })
