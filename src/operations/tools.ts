import type { Operation } from './contract.ts'
import { type JsonSchema, wireSchema } from './wire-schema.ts'

/** An operation as a tool for agents. */
export interface AgentTool {
  name: string
  description: string
  inputSchema: JsonSchema & { type: 'object' }
  readOnly: boolean
  /** Returns the operation's input for the arguments of a tool call. */
  inputFor: (args: Record<string, unknown>) => Record<string, unknown>
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
  // A property with only one possible value is filled in instead of being a parameter of the tool.
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
    inputFor: (args) => ({ ...fixed, ...args }),
    operation,
  }
}
