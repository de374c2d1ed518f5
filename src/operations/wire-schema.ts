import { z } from 'zod'

import { snakeCase } from '../kernel/text.ts'
import { toWire } from './wire.ts'

export type JsonSchema = Record<string, unknown>

/**
 * Returns the JSON Schema of the wire format: OpenAPI and the agents' tools describe the same names that `wire.ts`
 * converts.
 */
export function wireSchema(schema: z.ZodType, side: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io: side,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => renameFields(zodSchema as unknown as z.ZodType, jsonSchema),
  })
  return described
}

/** Called both for a wrapper and for the schema inside it; renaming twice changes nothing. */
function renameFields(schema: z.ZodType, described: z.core.JSONSchema.BaseSchema): void {
  if (described.properties !== undefined)
    described.properties = Object.fromEntries(
      Object.entries(described.properties).map(([name, property]) => [snakeCase(name), property]),
    )
  if (described.required !== undefined) described.required = described.required.map(snakeCase)
  if (described.default !== undefined) described.default = toWire(schema, described.default) as typeof described.default
}
