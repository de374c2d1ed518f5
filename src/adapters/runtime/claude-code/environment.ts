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

/** Returns the values of the variables that hold keys. */
export const secretsIn = (variables: Readonly<Record<string, string>>): string[] =>
  Object.entries(variables).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))

export const isSecretName = (name: string): boolean => /KEY|TOKEN|SECRET|PASSWORD/.test(name)
