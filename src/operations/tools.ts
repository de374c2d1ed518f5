import type { Operation } from './contract.ts'
import { type JsonSchema, wireSchema } from './wire-schema.ts'

/** An operation as an agent sees it. */
export interface AgentTool {
  name: string
  description: string
  inputSchema: JsonSchema & { type: 'object' }
  readOnly: boolean
  /** What the operation wants from these arguments. */
  inputFor: (given: Record<string, unknown>) => Record<string, unknown>
  operation: Operation
}

export const toolsOf = (operations: readonly Operation[]): AgentTool[] =>
  operations.flatMap((operation) => (operation.tool === undefined ? [] : [describe(operation, operation.tool)]))

function describe(operation: Operation, name: string): AgentTool {
  const schema = wireSchema(operation.input, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  const properties = Object.entries(schema.properties ?? {})
  // What can only have one value is nothing to ask an agent for.
  const fixed = Object.fromEntries(properties.flatMap(([key, each]) => ('const' in each ? [[key, each['const']]] : [])))
  return {
    name,
    description: operation.summary,
    inputSchema: {
      ...schema,
      type: 'object',
      properties: Object.fromEntries(properties.filter(([key]) => !Object.hasOwn(fixed, key))),
      required: (schema.required ?? []).filter((key) => !Object.hasOwn(fixed, key)),
    },
    readOnly: operation.method === 'GET',
    inputFor: (given) => ({ ...fixed, ...given }),
    operation,
  }
}
