import type { ProviderKind, ProviderSettings } from './contract.ts'

export interface Provider {
  readonly name: string
  readonly kind: ProviderKind
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Null if the provider requires no key. */
  readonly keyName: string | null
  /** Null if the variable is not set. */
  readonly key: string | null
  /** Whether the configuration lists it. */
  readonly isConfigured: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the configured providers, and those that need only a key. */
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

/** Reports whether the provider has its key; one that requires no key is usable only if it is configured. */
export const isUsable = ({ keyName, key, isConfigured }: Provider): boolean =>
  keyName === null ? isConfigured : key !== null

export const hostOf = ({ baseUrl }: Pick<Provider, 'baseUrl'>): string => new URL(baseUrl).host

const builtIn: Readonly<Record<string, ProviderSettings>> = {
  anthropic: { kind: 'anthropic', baseUrl: null },
  openai: { kind: 'openai', baseUrl: null },
  ollama: { kind: 'ollama', baseUrl: null },
}

interface ProviderDefaults {
  readonly baseUrl: string
  /** The variable that the provider's own programs read, if there is one. */
  readonly baseUrlName?: string
  readonly keyName: string | null
}

const defaults: Readonly<Record<ProviderKind, ProviderDefaults>> = {
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
  const { baseUrlName, ...other } = defaults[kind]
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

/** The address that Claude Code reads from that variable has no version in its path. */
const asNamed = (kind: ProviderKind, url: string): string =>
  kind === 'anthropic' ? `${url.replace(/(\/v1)?\/*$/, '')}/v1` : url

/** An address without a path gets the default path; the path of a compatible server is unknown and left as it is. */
function plainUrl(kind: ProviderKind, url: string): string {
  const plain = url.replace(/\/+$/, '')
  return kind !== 'openai-compatible' && new URL(plain).pathname === '/' ? `${plain}/v1` : plain
}
