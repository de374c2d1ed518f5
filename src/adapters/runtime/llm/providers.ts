import type { ProviderKind, ProviderSettings } from './contract.ts'

export interface Provider {
  readonly name: string
  readonly kind: ProviderKind
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Null: it wants none. */
  readonly keyName: string | null
  /** Null: not set. */
  readonly key: string | null
  /** Somebody wrote it into the configuration. */
  readonly isConfigured: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Those of the configuration, and those that need no more than a key. */
export function providersOf(
  configured: Readonly<Record<string, ProviderSettings>>,
  environment: Environment,
): ReadonlyMap<string, Provider> {
  const all: Record<string, ProviderSettings> = { ...builtIn, ...configured }
  return new Map(
    Object.entries(all).map(([name, settings]) => [
      name,
      providerOf(name, settings, environment, Object.hasOwn(configured, name)),
    ]),
  )
}

/** It has the key that it wants; one that wants none is there only if somebody says so. */
export const isUsable = ({ keyName, key, isConfigured }: Provider): boolean =>
  keyName === null ? isConfigured : key !== null

export const hostOf = ({ baseUrl }: Pick<Provider, 'baseUrl'>): string => new URL(baseUrl).host

const builtIn: Readonly<Record<string, ProviderSettings>> = {
  anthropic: { kind: 'anthropic', baseUrl: null },
  openai: { kind: 'openai', baseUrl: null },
  ollama: { kind: 'ollama', baseUrl: null },
}

interface Usual {
  readonly baseUrl: string
  /** The name that its maker's own programs read, where there is one. */
  readonly baseUrlName?: string
  readonly keyName: string | null
}

const usual: Readonly<Record<ProviderKind, Usual>> = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    baseUrlName: 'ANTHROPIC_BASE_URL',
    keyName: 'ANTHROPIC_API_KEY',
  },
  openai: { baseUrl: 'https://api.openai.com/v1', baseUrlName: 'OPENAI_BASE_URL', keyName: 'OPENAI_API_KEY' },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1', keyName: null },
  'openai-compatible': { baseUrl: '', keyName: null },
}

function providerOf(
  name: string,
  { kind, baseUrl, apiKeyEnv }: ProviderSettings,
  environment: Environment,
  isConfigured: boolean,
): Provider {
  const { baseUrlName, ...other } = usual[kind]
  const keyName = apiKeyEnv === undefined ? other.keyName : apiKeyEnv
  const named = baseUrlName === undefined ? undefined : environment[baseUrlName]
  return {
    name,
    kind,
    baseUrl: plainUrl(kind, baseUrl ?? (canParse(named) ? asNamed(kind, named) : other.baseUrl)),
    keyName,
    key: (keyName === null ? undefined : environment[keyName]) || null,
    isConfigured,
  }
}

const canParse = (url: string | undefined): url is string => url !== undefined && URL.canParse(url)

/** What Claude Code reads under that name has no version in it. */
const asNamed = (kind: ProviderKind, url: string): string =>
  kind === 'anthropic' ? `${url.replace(/(\/v1)?\/*$/, '')}/v1` : url

/** An address without a path means the usual one; what a compatible server calls its own, nobody knows. */
function plainUrl(kind: ProviderKind, url: string): string {
  const plain = url.replace(/\/+$/, '')
  return kind !== 'openai-compatible' && new URL(plain).pathname === '/' ? `${plain}/v1` : plain
}
