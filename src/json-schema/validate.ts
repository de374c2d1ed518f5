import { Ajv, type AnySchemaObject, type ErrorObject, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'

export interface TextOf {
  /** JSON, or YAML by its ending. */
  readonly path: string
  readonly text: string
}

export interface Fitting {
  readonly document: TextOf
  readonly schema: TextOf | { readonly inline: Record<string, unknown> }
}

/** What does not fit, one line each; empty when all of it fits. Throws where one of the two cannot be read. */
export function misfits({ document, schema }: Fitting): string[] {
  const value = read(document)
  return createFitting('inline' in schema ? schema.inline : read(schema))(value)
}

/** The same for many values: to prepare a schema takes far longer than to use it. */
export function createFitting(rules: unknown): (value: unknown) => string[] {
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules))
    throw new Error('the schema is not an object')
  const fits = validatorOf(rules as AnySchemaObject)
  return (value) => {
    const answer = fits(value)
    if (typeof answer !== 'boolean') throw new Error('the schema is asynchronous')
    return answer ? [] : (fits.errors ?? []).slice(0, maxMisfits).map(misfitLine)
  }
}

const maxMisfits = 20

function read({ path, text }: TextOf): unknown {
  try {
    if (!/\.ya?ml$/i.test(path)) return JSON.parse(text)
    return parse(text, { maxAliasCount: 100, prettyErrors: true })
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message.split('\n')[0]}`, { cause: error })
  }
}

const options: Options = {
  allErrors: true,
  // A keyword that is misspelt would prove nothing; better to say so.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  logger: false,
}

/** Other schemas are never loaded: a `$ref` finds only what lies in the schema itself. */
function validatorOf(schema: AnySchemaObject) {
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

const misfitLine = ({ instancePath, message, params }: ErrorObject): string => {
  const named = Object.values(params as Record<string, unknown>).find((each) => typeof each === 'string')
  const about = named === undefined || message?.includes(named as string) ? '' : ` (${named as string})`
  return `${instancePath === '' ? 'the document' : instancePath} ${message ?? 'does not fit'}${about}`
}
