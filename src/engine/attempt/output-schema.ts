import { type JsonSchema, wireSchema } from '../../operations/wire-schema.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { shapeOf } from '../outcome/shape.ts'

export interface ExpectedOutput {
  readonly name: string
  readonly schema: JsonSchema
  /** The schema for the prompt, without limits that are not reached by accident: each would cost tokens. */
  readonly shown: JsonSchema
}

/** Returns the output that the report of a step must contain; null if it needs none. */
export function outputOf(playbook: Playbook | undefined, brief: Pick<Brief, 'phase' | 'key'>): ExpectedOutput | null {
  const { phase } = brief
  const shape = shapeOf(playbook, brief)
  if (phase === null || shape === undefined) return null
  const known = described.get(shape)
  if (known !== undefined) return known
  const schema = wireSchema(shape, 'input')
  const output = { name: phase, schema, shown: withoutLimits(schema) as JsonSchema }
  described.set(shape, output)
  return output
}

/** Cached, because a playbook's schemas never change and every launch of a step needs one. */
const described = new WeakMap<object, ExpectedOutput>()

const lengths: ReadonlySet<string> = new Set(['maxLength', 'minLength', 'maxItems'])

function withoutLimits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLimits)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => !isLimit(name, inner))
      .map(([name, inner]) => [name, withoutLimits(inner)]),
  )
}

/** Reports whether a keyword is a limit; a property may have the same name, and then its value is a schema. */
function isLimit(name: string, value: unknown): boolean {
  if (lengths.has(name)) return typeof value === 'number'
  if (name === 'maximum') return value === Number.MAX_SAFE_INTEGER
  if (name === 'propertyNames') return JSON.stringify(value) === '{"type":"string"}'
  return name === 'default' && (typeof value !== 'object' || value === null || Array.isArray(value))
}
