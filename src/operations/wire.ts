import { z } from 'zod'

import { snakeCase } from '../kernel/text.ts'

/**
 * Converts names from TypeScript (`runId`) to JSON (`run_id`). Only names that a schema declares are converted:
 * free-form data (an event's data, an agent's own JSON) passes through unchanged.
 * Properties that an object's schema does not declare are dropped: a response contains no more than its contract.
 */
export const toWire = (schema: z.ZodType, value: unknown): unknown => convert(schema, value, 'out')

/**
 * Converts names from JSON to TypeScript. Undeclared properties are kept, so that a strict schema can name them in its
 * error.
 */
export const fromWire = (schema: z.ZodType, value: unknown): unknown => convert(schema, value, 'in')

/**
 * Returns the path of an issue in the names of the wire: `['briefs', 0, 'runtimeOptions', 'aB']` →
 * `briefs.0.runtime_options.aB`.
 */
export function wirePath(schema: z.ZodType, path: readonly PropertyKey[]): string {
  let schemas: readonly z.ZodType[] = [schema]
  return path
    .map((segment) => {
      const leaves = schemas.flatMap((each) => leavesOf(each, 'in').flatMap(optionsOf))
      const declared = leaves.flatMap((leaf) => fieldsOf(leaf, 'out')?.get(String(segment)) ?? [])
      schemas = declared.length > 0 ? declared.map((field) => field.schema) : leaves.flatMap(itemsOf)
      return declared[0]?.wire ?? String(segment)
    })
    .join('.')
}

type Direction = 'in' | 'out'

interface Field {
  readonly name: string
  readonly wire: string
  readonly schema: z.ZodType
}

function convert(schema: z.ZodType, value: unknown, direction: Direction): unknown {
  return convertBy([schema], value, direction)
}

/** Converts by several schemas where a plain union does not determine which of its options applies. */
function convertBy(schemas: readonly z.ZodType[], value: unknown, direction: Direction): unknown {
  if (value === null || typeof value !== 'object') return value
  const leaves = schemas.flatMap((schema) =>
    leavesOf(schema, direction).flatMap((leaf) => chosenOf(leaf, value, direction)),
  )
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      convertBy(
        leaves.flatMap((leaf) => elementOf(leaf, index)),
        item,
        direction,
      ),
    )
  }
  const fieldMaps = leaves.flatMap((leaf) => fieldsOf(leaf, direction) ?? [])
  const recordValues = leaves.flatMap((leaf) => (leaf instanceof z.ZodRecord ? [leaf.valueType as z.ZodType] : []))
  if (fieldMaps.length === 0 && recordValues.length === 0) return value
  const open = recordValues.length > 0 || leaves.some((leaf) => leaf instanceof z.ZodObject && isOpen(leaf))
  const converted: Record<string, unknown> = {}
  for (const key of direction === 'out' ? inOrder(value, fieldMaps) : Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key]
    const fields = fieldMaps.flatMap((map) => map.get(key) ?? [])
    const first = fields[0]
    if (first !== undefined) {
      const name = direction === 'in' ? first.name : first.wire
      define(
        converted,
        name,
        convertBy(
          fields.map((field) => field.schema),
          item,
          direction,
        ),
      )
    } else if (open) define(converted, key, recordValues.length > 0 ? convertBy(recordValues, item, direction) : item)
    else if (direction === 'in') define(converted, undeclared(fieldMaps, key), item)
  }
  return converted
}

/** Returns the keys in the order of the contract, however the object was built, so that a response keeps its shape. */
function inOrder(value: object, fieldMaps: readonly ReadonlyMap<string, Field>[]): Set<string> {
  const declared = fieldMaps.flatMap((fields) => [...fields.keys()]).filter((key) => Object.hasOwn(value, key))
  return new Set([...declared, ...Object.keys(value)])
}

/**
 * Renames `runId` on the wire, which must not be accepted for `run_id`, to a name that no schema has and that states
 * the correct one.
 */
function undeclared(fieldMaps: readonly ReadonlyMap<string, Field>[], key: string): string {
  for (const fields of fieldMaps)
    for (const field of fields.values()) if (field.name === key) return `${key} (write ${field.wire})`
  return key
}

/** Defines a property: a plain assignment to `__proto__` would set the prototype. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
  else target[key] = value
}

const fieldCache = {
  in: new WeakMap<z.ZodType, Map<string, Field>>(),
  out: new WeakMap<z.ZodType, Map<string, Field>>(),
}
/** Returns an object's fields by the name under which they arrive. */
function fieldsOf(leaf: z.ZodType, direction: Direction): Map<string, Field> | undefined {
  if (!(leaf instanceof z.ZodObject)) return undefined
  let fields = fieldCache[direction].get(leaf)
  if (fields === undefined) {
    fields = new Map()
    for (const [name, schema] of Object.entries(leaf.shape as Record<string, z.ZodType>)) {
      const wire = snakeCase(name)
      fields.set(direction === 'in' ? wire : name, { name, wire, schema })
    }
    fieldCache[direction].set(leaf, fields)
  }
  return fields
}

const isOpen = (leaf: z.ZodObject): boolean =>
  leaf.def.catchall !== undefined && !(leaf.def.catchall instanceof z.ZodNever)

const elementOf = (leaf: z.ZodType, index: number): z.ZodType[] => {
  if (leaf instanceof z.ZodArray) return [leaf.element as z.ZodType]
  if (!(leaf instanceof z.ZodTuple)) return []
  const item = leaf.def.items[index] ?? leaf.def.rest
  return item === null || item === undefined ? [] : [item as z.ZodType]
}

const itemsOf = (leaf: z.ZodType): z.ZodType[] =>
  leaf instanceof z.ZodRecord ? [leaf.valueType as z.ZodType] : elementOf(leaf, 0)

/** Returns the option that the discriminator names, or all options if it names none. */
function chosenOf(leaf: z.ZodType, value: object, direction: Direction): z.ZodType[] {
  if (!(leaf instanceof z.ZodDiscriminatedUnion)) return [leaf]
  const name = leaf.def.discriminator
  const key = direction === 'in' ? snakeCase(name) : name
  const named = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
  const chosen = (leaf.options as z.ZodType[]).filter((option) => option._zod.propValues?.[name]?.has(named as string))
  return (chosen.length > 0 ? chosen : (leaf.options as z.ZodType[])).flatMap((option) =>
    leavesOf(option, direction).flatMap((inner) => chosenOf(inner, value, direction)),
  )
}

const optionsOf = (leaf: z.ZodType): z.ZodType[] =>
  leaf instanceof z.ZodDiscriminatedUnion
    ? (leaf.options as z.ZodType[]).flatMap((option) => leavesOf(option, 'in').flatMap(optionsOf))
    : [leaf]

const leafCache = { in: new WeakMap<z.ZodType, z.ZodType[]>(), out: new WeakMap<z.ZodType, z.ZodType[]>() }
/** Returns the schemas inside all wrappers. */
function leavesOf(schema: z.ZodType, direction: Direction): z.ZodType[] {
  let found = leafCache[direction].get(schema)
  if (found === undefined) {
    found = unwrap(schema, direction)
    leafCache[direction].set(schema, found)
  }
  return found
}

function unwrap(schema: z.ZodType, direction: Direction): z.ZodType[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly
  )
    return leavesOf(schema.def.innerType as z.ZodType, direction)
  if (schema instanceof z.ZodLazy) return leavesOf(schema.def.getter() as z.ZodType, direction)
  if (schema instanceof z.ZodPipe) {
    const before = schema.def.in as z.ZodType
    const after = schema.def.out as z.ZodType
    // A transform describes no structure; the other side of the pipe is the better source.
    if (direction === 'in') return leavesOf(before instanceof z.ZodTransform ? after : before, direction)
    return leavesOf(after instanceof z.ZodTransform ? before : after, direction)
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return [schema]
  if (schema instanceof z.ZodUnion)
    return (schema.options as z.ZodType[]).flatMap((option) => leavesOf(option, direction))
  if (schema instanceof z.ZodIntersection)
    return [schema.def.left, schema.def.right].flatMap((side) => leavesOf(side as z.ZodType, direction))
  return [schema]
}
