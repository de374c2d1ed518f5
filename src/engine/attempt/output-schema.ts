import { type JsonSchema, wireSchema } from '../../operations/wire-schema.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'

export interface ExpectedOutput {
  readonly name: string
  readonly schema: JsonSchema
  /** The same for whoever reads it: limits that nobody reaches by accident are left out, each would be paid for. */
  readonly shown: JsonSchema
}

/** Which output the report on a step has to bring; null where it brings none. */
export function outputOf(playbook: Playbook | undefined, { phase }: Pick<Brief, 'phase'>): ExpectedOutput | null {
  const shape = phase === null ? undefined : playbook?.outputs?.[phase]
  if (phase === null || shape === undefined) return null
  const known = described.get(shape)
  if (known !== undefined) return known
  const schema = wireSchema(shape, 'input')
  const output = { name: phase, schema, shown: withoutLimits(schema) as JsonSchema }
  described.set(shape, output)
  return output
}

/** A playbook's shapes never change, and every launch of a step wants one. */
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

/** A property may be called like a limit; then its value is a schema. */
function isLimit(name: string, value: unknown): boolean {
  if (lengths.has(name)) return typeof value === 'number'
  if (name === 'maximum') return value === Number.MAX_SAFE_INTEGER
  if (name === 'propertyNames') return JSON.stringify(value) === '{"type":"string"}'
  return name === 'default' && (typeof value !== 'object' || value === null || Array.isArray(value))
}
