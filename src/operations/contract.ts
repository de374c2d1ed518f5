import type { z } from 'zod'

import type { Endpoint } from './endpoint.ts'

export type ActorKind = 'operator' | 'agent'

/**
 * One request type of the API. Routes, OpenAPI, MCP tools, the web client and the fuzzer are generated from these,
 * so an operation cannot exist in one of them and be missing in another.
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> extends Endpoint {
  /** `noun.verb`. */
  readonly name: string
  readonly summary: string
  /** Path parameters, query (GET) and body in one object. */
  readonly input: Input
  readonly output: Output
  readonly allow: readonly ActorKind[]
  /** The next step for an actor that is not allowed. */
  readonly instead?: string
  /** The name of the MCP tool for agents; without a name there is no tool. */
  readonly tool?: string
  /** The rate at which one attempt may call it; by default that of all reads or writes of agents. */
  readonly agentRate?: { readonly perSecond: number; readonly burst: number }
  /** The operation can also respond with `text/event-stream`. */
  readonly streams?: true
  /** It responds with the bytes of a file instead of JSON, which a browser only downloads. */
  readonly file?: true
}

/** The answer of an operation with `file`. Its content is read while it is sent. */
export interface FileAnswer {
  /** Its author may be an agent. */
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  readonly content: AsyncIterable<Uint8Array>
}

export const operation = <Input extends z.ZodType, Output extends z.ZodType>(
  described: Operation<Input, Output>,
): Operation<Input, Output> => described

export type InputOf<Op extends Operation> = z.output<Op['input']>
export type OutputOf<Op extends Operation> = z.output<Op['output']>
