import { fromWire } from '../../../operations/wire.ts'
import { type JsonSchema, wireSchema } from '../../../operations/wire-schema.ts'
import { Report } from '../../../work/attempts/contract.ts'
import type { Launch } from '../port.ts'
import { objectsIn } from './json.ts'
import type { OfferedTool } from './model.ts'
import { issueText } from './tools/tool.ts'

export const reportTool = 'report'

type Expected = Pick<Launch, 'kind' | 'output'>

/** Describes the tool by which an agent reports, with the fields of its kind of brief. */
export function offeredReport({ kind, output }: Expected): OfferedTool {
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
  const described = rebase('#/properties/output', rest) as JsonSchema
  return { ...described, description: `${name}; required with status done` }
}

/** Prefixes references to the schema's own root with the path at which the schema is embedded. */
function rebase(path: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => rebase(path, item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' && item.startsWith('#') ? path + item.slice(1) : rebase(path, item),
    ]),
  )
}

/** Validates a report; returns one line per error, and none for a valid report. */
export async function errorsOf(report: unknown, { kind, output }: Expected): Promise<string[]> {
  const parsed = Report.safeParse(fromWire(Report, report))
  if (!parsed.success) return parsed.error.issues.slice(0, maxErrors).map((issue) => issueText(Report, issue))
  const { status, plan, verdict, output: delivered } = parsed.data
  if (output !== undefined) {
    if (delivered !== undefined && delivered !== null) return schemaErrors(delivered, output)
    return status === 'done' ? [`output: is missing (${output.name})`] : []
  }
  if (status !== 'done') return []
  if (kind === 'plan' && plan === undefined) return ['plan: is missing']
  return kind === 'verify' && verdict === undefined ? ['verdict: is missing'] : []
}

const maxErrors = 20

async function schemaErrors(value: unknown, output: NonNullable<Launch['output']>): Promise<string[]> {
  const validate = await validatorFor(output)
  return validate(value).map((line) => `output: ${line}`)
}

async function validatorFor({ schema }: NonNullable<Launch['output']>): Promise<(value: unknown) => string[]> {
  // Loaded when the first agent delivers an output.
  const { createValidator } = await import('../../../json-schema/validate.ts')
  return createValidator(schema)
}

/**
 * Returns the report in a text, if it was not made by the tool; null if there is none. If the playbook requires an
 * output, the output alone is enough: an agent that delivers it has done its task.
 */
export async function reportIn(text: string, expected: Expected): Promise<Record<string, unknown> | null> {
  const { output } = expected
  const found = objectsIn(text)
  const validate = output === undefined || found.length === 0 ? null : await validatorFor(output)
  for (const object of found) {
    if (output !== undefined && validate?.(object).length === 0)
      return { status: 'done', summary: `Delivered ${output.name}.`, output: object }
    if ('status' in object && 'summary' in object) return object
  }
  const [last] = found
  return last === undefined || output === undefined
    ? null
    : { status: 'done', summary: `Delivered ${output.name}.`, output: last }
}
