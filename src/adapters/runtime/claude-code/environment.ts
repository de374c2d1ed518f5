import type { Forward } from '../../../workspaces/port.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export const selectVariables = (environment: Environment, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )

/** Disables all traffic except model calls, and keeps all state in the workspace's own home. */
export const isolation = (home: string): Record<string, string> => ({
  CLAUDE_CONFIG_DIR: `${home}/.claude`,
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // There are few tools and all are needed: an agent that has to search for `report` first may forget it.
  ENABLE_TOOL_SEARCH: 'false',
  NO_PROXY: '127.0.0.1,localhost,::1',
})

/** A model server on this machine is not reachable from the box's network: its port is forwarded. */
export function forwardsTo(baseUrl: string | undefined): Forward[] {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return []
  const { hostname, port, protocol } = new URL(baseUrl)
  if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return []
  const host = hostname.replace(/^\[|\]$/g, '')
  return [{ port: Number(port) || (protocol === 'https:' ? 443 : 80), host }]
}

export interface ModelAccess {
  readonly variables: Readonly<Record<string, string>>
  readonly forwards: readonly Forward[]
}

/**
 * Returns how an agent reaches its model. In a box it has a dummy instead of an API key, and a port of the box leads to
 * the model's server, where the key is added outside of the box: every command of the agent could read a key, and send it
 * anywhere.
 */
export function modelAccess(variables: Readonly<Record<string, string>>, boxed: boolean): ModelAccess {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_BASE_URL: base } = variables
  const url = base ?? defaultServer
  if (!boxed || (key === undefined && token === undefined) || !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    return { variables, forwards: forwardsTo(base) }
  const headers = {
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  return {
    variables: {
      ...variables,
      ...(key === undefined ? {} : { ANTHROPIC_API_KEY: dummyKey }),
      ...(token === undefined ? {} : { ANTHROPIC_AUTH_TOKEN: dummyKey }),
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${doorPort}`,
      // Claude Code does without some features of the API if the name of the server is not the usual one.
      ...(new URL(url).origin === defaultServer ? { _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: '1' } : {}),
    },
    forwards: [{ port: doorPort, keyed: { url, headers } }],
  }
}

const defaultServer = 'https://api.anthropic.com'
/** The port inside the box. */
const doorPort = 17_716
export const dummyKey = 'sk-ant-dummy-agency-adds-the-key'

/** The variables whose values a boxed agent does not get. */
export const addedByDoor: readonly string[] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']

/** Returns the values of the variables that hold keys. */
export const secretsIn = (variables: Readonly<Record<string, string>>): string[] =>
  Object.entries(variables).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))

export const isSecretName = (name: string): boolean => /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|HEADERS/.test(name)
