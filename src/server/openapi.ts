import type { ActorKind, Operation } from '../operations/contract.ts'
import { type JsonSchema, wireSchema } from '../operations/wire-schema.ts'

/**
 * Creates the OpenAPI 3.1 document, whose schemas are plain JSON Schema. The same operations always give the same text.
 */
export function createOpenApi(operations: readonly Operation[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of [...operations].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `/api${operation.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agency',
      version,
      description:
        'The command line and the dashboard use only these operations. With Accept: application/yaml a response is YAML, with its warnings in the header Agency-Warning; a problem is always JSON.',
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { Problem: problemSchema },
      responses: {
        Problem: {
          description: 'The error, its reason and the next step',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      parameters: { IdempotencyKey: idempotencyKey, LastEventId: lastEventId },
      securitySchemes: {
        operator: { type: 'http', scheme: 'bearer', description: 'The content of operator.token in AGENCY_HOME' },
        agent: { type: 'http', scheme: 'bearer', description: 'AGENCY_TOKEN of an attempt, until the attempt ends' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'agency_session',
          description: 'Session of a browser that signed in by a link',
        },
      },
    },
  }
}

function describe(operation: Operation): Record<string, unknown> {
  const input = wireSchema(operation.input, 'input') as { properties?: Record<string, JsonSchema>; required?: string[] }
  const properties = input.properties ?? {}
  const required = new Set(input.required)
  const inPath = [...operation.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
  const others = Object.keys(properties).filter((name) => !inPath.includes(name))
  const inBody = operation.method !== 'GET' && operation.method !== 'DELETE'
  const parameters: unknown[] = [
    ...inPath.map((name) => parameter(name, 'path', properties[name] ?? {}, true)),
    ...(inBody ? [] : others.map((name) => parameter(name, 'query', properties[name] ?? {}, required.has(name)))),
    ...(operation.streams ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
    ...(operation.method === 'GET' ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
  ]
  return {
    operationId: operation.name,
    summary: operation.summary,
    tags: [operation.name.split('.')[0]],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(inBody && others.length > 0 ? { requestBody: body(input, others) } : {}),
    responses: {
      '200': { description: 'Done', content: answers(operation) },
      default: { $ref: '#/components/responses/Problem' },
    },
    security: operation.allow.flatMap((kind) => securityOf[kind]),
    ...(operation.tool === undefined ? {} : { 'x-agency-tool': operation.tool }),
  }
}

const securityOf: Record<ActorKind, Record<string, string[]>[]> = {
  operator: [{ operator: [] }, { session: [] }],
  agent: [{ agent: [] }],
}

function parameter(
  name: string,
  location: 'path' | 'query',
  schema: JsonSchema,
  required: boolean,
): Record<string, unknown> {
  const { description, ...rest } = schema
  return { name, in: location, required, ...(description === undefined ? {} : { description }), schema: rest }
}

function body(
  input: JsonSchema & { properties?: Record<string, JsonSchema>; required?: string[] },
  names: string[],
): Record<string, unknown> {
  const required = (input.required ?? []).filter((name) => names.includes(name))
  const schema: JsonSchema = {
    ...input,
    properties: Object.fromEntries(names.map((name) => [name, input.properties?.[name]])),
  }
  delete schema['required']
  if (required.length > 0) schema['required'] = required
  return { required: required.length > 0, content: { 'application/json': { schema } } }
}

const answers = (operation: Operation): Record<string, unknown> => ({
  ...(operation.file
    ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
    : { 'application/json': { schema: wireSchema(operation.output, 'output') } }),
  ...(operation.streams
    ? {
        'text/event-stream': {
          schema: { type: 'string', description: 'Events as they happen: id, event (its kind), data (JSON)' },
        },
      }
    : {}),
})

const problemSchema: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: 'string' },
    message: { type: 'string', description: 'The error in one line' },
    hint: { type: 'string', description: 'The next step' },
    data: { type: 'object' },
    exit: { type: 'integer', description: 'Exit code of a command that gets this error' },
  },
  required: ['code', 'message', 'exit'],
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A request repeated with the same key and body runs once and returns the same response',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Resumes a stream after this event; overrides the parameter "after"',
  schema: { type: 'integer', minimum: 0 },
}
