import type { Actor } from '../kernel/actor.ts'
import type { InputOf, Operation, OutputOf } from './contract.ts'

/**
 * An operation and its handler. Parsing, authorisation by kind of actor, errors and statuses are implemented once, in
 * the server.
 */
export interface Route {
  readonly operation: Operation
  readonly handle: (by: Actor, input: never) => Promise<unknown>
  /** The live stream of an operation that `streams`; it ends by itself only when no more items can come. */
  readonly stream?: (by: Actor, input: never, signal: AbortSignal) => Promise<Streamed>
}

export type Streamed = AsyncIterable<readonly StreamItem[]>

export interface StreamItem {
  /** The position from which to resume after this item. */
  readonly id: number
  readonly kind: string
  /** The data with its names already converted to those of the wire. */
  readonly data: unknown
}

export type Handlers<Group extends Record<string, Operation>> = {
  readonly [Name in keyof Group]: (by: Actor, input: InputOf<Group[Name]>) => Promise<OutputOf<Group[Name]>>
}

export type StreamHandlers<Group extends Record<string, Operation>> = {
  readonly [Name in keyof Group]?: (by: Actor, input: InputOf<Group[Name]>, signal: AbortSignal) => Promise<Streamed>
}

/** Binds every operation of the group to its handler; a missing one is a compile error. */
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
