import type { z } from 'zod'

import type { Endpoint } from './endpoint.ts'

export type ActorKind = 'operator' | 'agent'

/**
 * One thing that can be asked of Agency. Routes, OpenAPI, MCP tools, the web client and the fuzzer are made from these,
 * so an operation cannot exist in one of them and be forgotten in another.
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> extends Endpoint {
  /** `noun.verb`. */
  readonly name: string
  readonly summary: string
  /** Path parameters, query (GET) and body in one object. */
  readonly input: Input
  readonly output: Output
  readonly allow: readonly ActorKind[]
  /** The name of the agents' MCP tool; without one there is none. */
  readonly tool?: string
  /** Answers `text/event-stream` too. */
  readonly streams?: true
}

export const operation = <Input extends z.ZodType, Output extends z.ZodType>(
  described: Operation<Input, Output>,
): Operation<Input, Output> => described

export type InputOf<Op extends Operation> = z.output<Op['input']>
export type OutputOf<Op extends Operation> = z.output<Op['output']>

/** The body of every error, as `application/problem+json`. The CLI prints and exits from it. */
export interface Problem {
  code: string
  message: string
  hint?: string
  data?: Record<string, unknown>
  exit: number
}
