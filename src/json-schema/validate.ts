import { Ajv, type AnySchemaObject, type ErrorObject, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'

export interface DocumentText {
  /** Selects the parser: YAML for `.yaml` and `.yml`, JSON otherwise. */
  readonly path: string
  readonly text: string
}

export interface SchemaCheck {
  readonly document: DocumentText
  readonly schema: DocumentText | { readonly inline: Record<string, unknown> }
}

/** Returns one line per violation of the schema; none if the document is valid. Throws if either text cannot be parsed. */
export function validateDocument({ document, schema }: SchemaCheck): string[] {
  const value = read(document)
  return createValidator('inline' in schema ? schema.inline : read(schema))(value)
}

/** Returns the same check for many values: compiling a schema takes far longer than applying it. */
export function createValidator(rules: unknown): (value: unknown) => string[] {
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules))
    throw new Error('the schema is not an object')
  const validate = compile(rules as AnySchemaObject)
  return (value) => {
    const result = validate(value)
    if (typeof result !== 'boolean') throw new Error('the schema is asynchronous')
    return result ? [] : (validate.errors ?? []).slice(0, maxErrors).map(errorLine)
  }
}

const maxErrors = 20

function read({ path, text }: DocumentText): unknown {
  try {
    if (!/\.ya?ml$/i.test(path)) return JSON.parse(text)
    return parse(text, { maxAliasCount: 100, prettyErrors: true })
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message.split('\n')[0]}`, { cause: error })
  }
}

const options: Options = {
  allErrors: true,
  // A misspelt keyword would check nothing, so it is an error.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  logger: false,
}

/** Other schemas are never loaded: a `$ref` resolves only within the schema itself. */
function compile(schema: AnySchemaObject) {
  const draft = String(schema['$schema'] ?? '')
  const ajv = draft.includes('draft-07')
    ? new Ajv(options)
    : draft.includes('2019-09')
      ? new Ajv2019(options)
      : new Ajv2020(options)
  formats.default(ajv)
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new Error(`the schema cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

const errorLine = ({ instancePath, message, params }: ErrorObject): string => {
  const named = Object.values(params as Record<string, unknown>).find((each) => typeof each === 'string')
  const about = named === undefined || message?.includes(named as string) ? '' : ` (${named as string})`
  return `${instancePath === '' ? 'the document' : instancePath} ${message ?? 'is invalid'}${about}`
}
