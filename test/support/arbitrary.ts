import fc from 'fast-check'

import type { JsonSchema } from '../../src/operations/wire-schema.ts'

/** Generates values for a JSON Schema; supports the part of the language that our operations use. */
export function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema['const'] !== undefined) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
  const options = (schema['oneOf'] ?? schema['anyOf']) as JsonSchema[] | undefined
  if (options !== undefined) return fc.oneof(...options.map(arbitraryOf))
  if (Array.isArray(schema['type'])) return fc.oneof(...schema['type'].map((type) => arbitraryOf({ ...schema, type })))
  switch (schema['type']) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return fc.array(arbitraryOf(schema['items'] as JsonSchema), {
        minLength: (schema['minItems'] as number | undefined) ?? 0,
        maxLength: Math.min((schema['maxItems'] as number | undefined) ?? 3, 3),
      })
    case 'string':
      return stringOf(schema)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  }
}

function objectOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>
  const required = new Set(schema['required'] as string[] | undefined)
  const names = Object.keys(properties)
  if (names.length === 0 && typeof schema['additionalProperties'] === 'object')
    return fc.dictionary(fc.string({ maxLength: 12 }), arbitraryOf(schema['additionalProperties'] as JsonSchema), {
      maxKeys: 3,
    })
  return fc.record(Object.fromEntries(names.map((name) => [name, arbitraryOf(properties[name] as JsonSchema)])), {
    requiredKeys: names.filter((name) => required.has(name)),
  })
}

function stringOf(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema['format'] === 'date-time')
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  if (typeof schema['pattern'] === 'string') {
    const pattern = new RegExp(schema['pattern'])
    // fast-check cannot generate from a look-ahead; most texts match without it, and the others are filtered out.
    return fc
      .stringMatching(new RegExp(schema['pattern'].replace(/\(\?[=!][^)]*\)/g, '')))
      .filter((text) => pattern.test(text))
  }
  const minLength = (schema['minLength'] as number | undefined) ?? 0
  const maxLength = Math.min((schema['maxLength'] as number | undefined) ?? 20, minLength + 20)
  return fc.string({ unit: 'grapheme', minLength, maxLength }).filter((text) => text.length <= maxLength)
}

function numberOf(schema: JsonSchema): fc.Arbitrary<number> {
  const whole = schema['type'] === 'integer'
  const above = schema['exclusiveMinimum'] as number | undefined
  const min = (schema['minimum'] as number | undefined) ?? (above === undefined ? -1_000_000 : above + 1)
  const max = (schema['maximum'] as number | undefined) ?? 1_000_000_000
  // JSON has no -0.
  return whole ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true }).map((number) => number + 0 || 0)
}
