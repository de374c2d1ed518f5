import type { z } from 'zod'

import { AgencyError } from '../../../../kernel/errors.ts'
import { fromWire, wirePath } from '../../../../operations/wire.ts'
import { type JsonSchema, wireSchema } from '../../../../operations/wire-schema.ts'

/** A tool that the model can call. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  /** Returns one line that describes the call in the live log. */
  summary(input: unknown): string
  run(input: unknown, signal: AbortSignal): Promise<ToolAnswer>
}

export interface ToolAnswer {
  readonly text: string
  readonly isError?: boolean
}

interface ToolParts<Input extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly subject: (input: z.infer<Input>) => string
  readonly run: (input: z.infer<Input>, signal: AbortSignal) => Promise<ToolAnswer | string>
}

/** Defines a tool. Invalid input and refusals are returned to the agent, which can correct its next call. */
export function defineTool<Input extends z.ZodType>({
  name,
  description,
  input: schema,
  subject,
  run,
}: ToolParts<Input>): Tool {
  return {
    name,
    description,
    schema: wireSchema(schema, 'input'),
    summary: (input) => {
      const parsed = schema.safeParse(fromWire(schema, input))
      return parsed.success ? subject(parsed.data) : JSON.stringify(input)
    },
    run: async (input, signal) => {
      const parsed = schema.safeParse(fromWire(schema, input))
      if (!parsed.success) return failed(issueText(schema, parsed.error.issues[0]))
      try {
        const answer = await run(parsed.data, signal)
        return typeof answer === 'string' ? { text: answer } : answer
      } catch (error) {
        if (error instanceof AgencyError && error.code !== 'bug') return failed(error.message)
        throw error
      }
    },
  }
}

export const failed = (text: string): ToolAnswer => ({ text: `error: ${text}`, isError: true })

export const issueText = (schema: z.ZodType, issue: z.core.$ZodIssue | undefined): string => {
  const path = wirePath(schema, issue?.path ?? [])
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? 'is invalid'}`
}
