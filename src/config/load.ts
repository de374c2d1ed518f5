import { readFileSync } from 'node:fs'

import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'

import { type NotifierSettings, redactedSettings } from '../adapters/notify/contract.ts'
import { type AgencyError, refusal } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { snakeCase } from '../kernel/text.ts'
import { redact } from '../secrets/redact.ts'
import { fromWire, toWire, wirePath } from '../operations/wire.ts'
import { Configuration, type ConfigurationKey, configurationKeys, settingMeta } from './contract.ts'

/** The source of a value, one of four, and its name there: `--port`, `AGENCY_PORT`, `config.yaml:3`, `default`. */
export interface Origin {
  from: 'flag' | 'environment' | 'file' | 'default'
  name: string
}

export interface LoadedConfiguration {
  values: Configuration
  origins: Record<ConfigurationKey, Origin>
}

export interface ConfigurationSources {
  /** Values from the command line; undefined if a flag was not given. */
  flags?: Partial<Record<ConfigurationKey, string | number | null | undefined>>
  env: Readonly<Record<string, string | undefined>>
  home: { readonly config: string }
}

/**
 * Loads the configuration: the first of flag, environment, file and default that has a value applies. An invalid value
 * is refused in every source.
 */
export function loadConfiguration({ flags = {}, env, home }: ConfigurationSources): LoadedConfiguration {
  const file = readFile(home.config)
  const values: Record<string, unknown> = {}
  const origins = {} as Record<ConfigurationKey, Origin>
  for (const key of configurationKeys) {
    const found = file.get(key)
    const inFile = found === undefined ? undefined : checked(key, found.value, `${home.config}:${found.line}`)
    const text = env[environmentName(key)] || undefined
    const inEnvironment = text === undefined ? undefined : fromText(key, text, environmentName(key))
    const flag = flags[key]
    const given = typeof flag === 'string' ? fromText(key, flag, flagName(key)) : flag
    if (given !== undefined) {
      values[key] = checked(key, given, flagName(key))
      origins[key] = { from: 'flag', name: flagName(key) }
    } else if (inEnvironment !== undefined) {
      values[key] = inEnvironment
      origins[key] = { from: 'environment', name: environmentName(key) }
    } else if (inFile !== undefined) {
      values[key] = inFile
      origins[key] = { from: 'file', name: `config.yaml:${found?.line ?? 1}` }
    } else {
      values[key] = Configuration.shape[key].parse(undefined)
      origins[key] = { from: 'default', name: 'default' }
    }
  }
  return { values: values as Configuration, origins }
}

export interface ExplainedSetting {
  key: string
  value: unknown
  from: string
  environment: string
  description: string
}

/** Returns the settings for display, without secrets. */
export const explainConfiguration = ({ values, origins }: LoadedConfiguration): ExplainedSetting[] =>
  configurationKeys.map((key) => ({
    key: snakeCase(key),
    value: settingMeta(key).secret ? hidden(values[key]) : toWire(Configuration.shape[key], values[key]),
    from: origins[key].name,
    environment: environmentName(key),
    description: settingMeta(key).description,
  }))

/** Keeps the parts that distinguish two databases: server and name, not user and password. */
function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return (value as NotifierSettings[]).map(redactedSettings)
  if (typeof value !== 'string') return value
  try {
    const url = new URL(value)
    return `${url.protocol}//${url.username === '' && url.password === '' ? '' : '[redacted]@'}${url.host}${url.pathname}`
  } catch {
    return '[redacted]'
  }
}

export const environmentName = (key: ConfigurationKey): string =>
  key === 'databaseUrl' ? 'DATABASE_URL' : `AGENCY_${snakeCase(key).toUpperCase()}`

const flagName = (key: ConfigurationKey): string => `--${snakeCase(key).replaceAll('_', '-')}`

/**
 * Converts a text to the setting's type: a number if one is expected, null for `null`, `off` and `none`, JSON for a
 * list or an object, otherwise the text.
 */
function fromText(key: ConfigurationKey, text: string, source: string): unknown {
  const trimmed = text.trim()
  const candidates: unknown[] = []
  if (/^[+-]?\d+(\.\d+)?$/.test(trimmed)) candidates.push(Number(trimmed))
  if (/^(null|off|none)$/i.test(trimmed)) candidates.push(null)
  if (/^(true|false)$/i.test(trimmed)) candidates.push(trimmed.toLowerCase() === 'true')
  if (/^[[{]/.test(trimmed)) return checked(key, parsedJson(trimmed), source)
  for (const candidate of candidates) if (Configuration.shape[key].safeParse(candidate).success) return candidate
  return checked(key, trimmed, source)
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function checked(key: ConfigurationKey, value: unknown, source: string): unknown {
  const { expected, secret } = settingMeta(key)
  const schema = Configuration.shape[key]
  // `undefined` would silently become the default: only sources with a value get here.
  const result = value === undefined ? null : schema.safeParse(fromWire(schema, value))
  if (result?.success === true) return result.data
  const issue = result?.error.issues[0]
  const path = issue === undefined ? '' : wirePath(schema, issue.path)
  const shown = secret ? '' : `, not ${JSON.stringify(value)}`
  const fault =
    path === ''
      ? `${snakeCase(key)} must be ${expected}${shown}`
      : `${snakeCase(key)}.${path}: ${redact(issue?.message ?? '')}`
  throw refusal('invalid_input', `${source}: ${fault}`, { data: { key: snakeCase(key), where: source } })
}

interface FileSetting {
  value: unknown
  line: number
}

function readFile(path: string): Map<ConfigurationKey, FileSetting> {
  const text = readText(path)
  const found = new Map<ConfigurationKey, FileSetting>()
  if (text === null) return found
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineOf = (offset: number | undefined): { line: number; col: number } => lines.linePos(offset ?? 0)
  const broken = document.errors[0]
  if (broken !== undefined) throw unreadable(path, lineOf(broken.pos[0]), redact(broken.message))
  const root = document.contents
  if (root === null || (isScalar(root) && root.value === null)) return found
  if (!isMap(root)) throw unreadable(path, lineOf(root.range?.[0]), 'expected "key: value" lines')
  const known = new Map(configurationKeys.map((key) => [snakeCase(key), key]))
  for (const pair of root.items) {
    const position = lineOf(isNode(pair.key) ? pair.key.range?.[0] : undefined)
    const name = isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
    const key = known.get(name)
    if (key === undefined) throw unknownKey(path, position, name, known.keys())
    try {
      found.set(key, { value: isNode(pair.value) ? pair.value.toJS(document) : null, line: position.line })
    } catch (error) {
      // An alias without its anchor is found only here.
      throw unreadable(path, position, error instanceof Error ? error.message : String(error))
    }
  }
  return found
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    const reason = error instanceof Error ? error.message : String(error)
    throw refusal('invalid_input', `${path} cannot be read: ${reason}`, { cause: error })
  }
}

const unreadable = (file: string, { line, col }: { line: number; col: number }, reason: string): AgencyError =>
  refusal('invalid_input', `${file}:${line}:${col}: ${reason}`, { data: { file, line, column: col } })

function unknownKey(
  file: string,
  { line, col }: { line: number; col: number },
  name: string,
  known: Iterable<string>,
): AgencyError {
  const meant = nearest(name, known)
  return refusal(
    'invalid_input',
    `${file}:${line}:${col}: unknown setting "${name}"${meant === null ? '' : `; did you mean "${meant}"?`}`,
    {
      hint: `The settings are: ${configurationKeys.map(snakeCase).join(', ')}.`,
      data: { file, line, column: col, key: name, nearest: meant },
    },
  )
}
