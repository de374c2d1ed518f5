import type { Forward } from '../../../workspaces/port.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export const passedOn = (environment: Environment, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )

/** Quiet towards everybody but the model, and nothing of it outside of the workspace's own home. */
export const quiet = (home: string): Record<string, string> => ({
  CLAUDE_CONFIG_DIR: `${home}/.claude`,
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // Few tools, all of them needed: an agent that has to look for `report` first may forget it.
  ENABLE_TOOL_SEARCH: 'false',
  NO_PROXY: '127.0.0.1,localhost,::1',
})

/** A model server on this machine is not in the box's network: its port is led there. */
export function forwardsTo(baseUrl: string | undefined): Forward[] {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return []
  const { hostname, port, protocol } = new URL(baseUrl)
  if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return []
  const host = hostname.replace(/^\[|\]$/g, '')
  return [{ port: Number(port) || (protocol === 'https:' ? 443 : 80), host }]
}

/** What of that it pays with. */
export const secretsIn = (given: Readonly<Record<string, string>>): string[] =>
  Object.entries(given).flatMap(([name, value]) => (isNameOfSecret(name) ? [value] : []))

export const isNameOfSecret = (name: string): boolean => /KEY|TOKEN|SECRET|PASSWORD/.test(name)
