import { z } from 'zod'

import { camelCase, snakeCase } from '../kernel/text.ts'

/**
 * JSON says `run_id`, TypeScript says `runId`. Only names that a schema declares are converted:
 * free-form data (an event's data, an agent's own JSON) passes through untouched.
 */
export const toWire = (schema: z.ZodType, value: unknown): unknown => convert(schema, value, snakeCase, (name) => name)

export const fromWire = (schema: z.ZodType, value: unknown): unknown => convert(schema, value, camelCase, snakeCase)

type Rename = (name: string) => string

function convert(schema: z.ZodType, value: unknown, rename: Rename, incoming: Rename): unknown {
  if (value === null || typeof value !== 'object') return value
  const inner = unwrap(schema)
  if (Array.isArray(value)) {
    if (!(inner instanceof z.ZodArray)) return value
    return value.map((item) => convert(inner.element as z.ZodType, item, rename, incoming))
  }
  if (inner instanceof z.ZodRecord) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, convert(inner.valueType as z.ZodType, item, rename, incoming)]),
    )
  }
  const shape = shapeOf(inner)
  if (shape === null) return value
  const byIncoming = new Map(Object.keys(shape).map((name) => [incoming(name), name]))
  const converted: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const name = byIncoming.get(key)
    // An undeclared name stays as it is, so that a strict schema can name it in its error.
    if (name === undefined) define(converted, key, item)
    else define(converted, rename(key), convert(shape[name] as z.ZodType, item, rename, incoming))
  }
  return converted
}

/** Plain assignment to `__proto__` would set the prototype. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema
  for (;;) {
    if (
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodNullable ||
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodPrefault ||
      inner instanceof z.ZodReadonly
    )
      inner = inner.def.innerType as z.ZodType
    else if (inner instanceof z.ZodPipe) inner = inner.def.in as z.ZodType
    else if (inner instanceof z.ZodLazy) inner = inner.def.getter() as z.ZodType
    else return inner
  }
}

/** The declared names of an object; of a union, those of all its options (an option's own check finds a stray one). */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | null {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>
  if (schema instanceof z.ZodIntersection)
    return { ...shapeOf(unwrap(schema.def.left as z.ZodType)), ...shapeOf(unwrap(schema.def.right as z.ZodType)) }
  if (schema instanceof z.ZodUnion) {
    const shapes = (schema.options as z.ZodType[]).map((option) => shapeOf(unwrap(option))).filter((shape) => shape !== null)
    return shapes.length === 0 ? null : Object.assign({}, ...shapes)
  }
  return null
}
