import { fromWire } from '../../../operations/wire.ts'
import { type JsonSchema, wireSchema } from '../../../operations/wire-schema.ts'
import { Report } from '../../../work/attempts/contract.ts'
import type { Launch } from '../port.ts'
import { objectsIn } from './json.ts'
import type { OfferedTool } from './model.ts'
import { issueText } from './tools/tool.ts'

export const reportTool = 'report'

type Wanted = Pick<Launch, 'kind' | 'output'>

/** How an agent says that it has ended, with the fields that its kind of brief has. */
export function offeredReport({ kind, output }: Wanted): OfferedTool {
  const { properties = {}, ...schema } = wireSchema(Report, 'input') as { properties?: Record<string, JsonSchema> }
  const { output: _any, plan, verdict, ...common } = properties
  return {
    name: reportTool,
    description:
      'Ends your attempt: call it once, when you are finished or cannot continue. State your results and the files that prove them.',
    schema: {
      ...schema,
      properties: {
        ...common,
        ...(kind === 'plan' && output === undefined ? { plan } : {}),
        ...(kind === 'verify' && output === undefined ? { verdict } : {}),
        ...(output === undefined ? {} : { output: outputSchema(output) }),
      },
    },
  }
}

const outputSchema = ({ name, schema }: NonNullable<Launch['output']>): JsonSchema => {
  const { $schema: _, ...rest } = schema
  const described = movedTo('#/properties/output', rest) as JsonSchema
  return { ...described, description: `${name}; required with status done` }
}

/** What refers to its own root has to find it where the root now is. */
function movedTo(place: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => movedTo(place, item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' && item.startsWith('#') ? place + item.slice(1) : movedTo(place, item),
    ]),
  )
}

/** What does not fit, one line each; empty where all of it does. */
export async function faultsOf(report: unknown, { kind, output }: Wanted): Promise<string[]> {
  const parsed = Report.safeParse(fromWire(Report, report))
  if (!parsed.success) return parsed.error.issues.slice(0, maxFaults).map((issue) => issueText(Report, issue))
  const { status, plan, verdict, output: given } = parsed.data
  if (output !== undefined) {
    if (given !== undefined && given !== null) return misfitsOf(given, output)
    return status === 'done' ? [`output: is missing (${output.name})`] : []
  }
  if (status !== 'done') return []
  if (kind === 'plan' && plan === undefined) return ['plan: is missing']
  return kind === 'verify' && verdict === undefined ? ['verdict: is missing'] : []
}

const maxFaults = 20

async function misfitsOf(value: unknown, output: NonNullable<Launch['output']>): Promise<string[]> {
  const misfits = await misfitsBy(output)
  return misfits(value).map((line) => `output: ${line}`)
}

async function misfitsBy({ schema }: NonNullable<Launch['output']>): Promise<(value: unknown) => string[]> {
  // Loaded when the first agent has something to show.
  const { createValidator } = await import('../../../json-schema/validate.ts')
  return createValidator(schema)
}

/**
 * The report that a text holds, where it was not made by the tool; null: none. Where its playbook wants an output, that
 * alone will do: whoever gives it has done what was asked.
 */
export async function reportIn(text: string, wanted: Wanted): Promise<Record<string, unknown> | null> {
  const { output } = wanted
  const found = objectsIn(text)
  const misfits = output === undefined || found.length === 0 ? null : await misfitsBy(output)
  for (const object of found) {
    if (output !== undefined && misfits?.(object).length === 0)
      return { status: 'done', summary: `Delivered ${output.name}.`, output: object }
    if ('status' in object && 'summary' in object) return object
  }
  const [last] = found
  return last === undefined || output === undefined
    ? null
    : { status: 'done', summary: `Delivered ${output.name}.`, output: last }
}
