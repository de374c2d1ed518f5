import { isIP } from 'node:net'

/**
 * Matches a host: `example.org` means the host and its subdomains, `*.example.org` only subdomains; an address means
 * itself.
 */
export function matchesHost(host: string, rule: string): boolean {
  const pattern = plainHost(rule)
  const name = plainHost(host)
  if (pattern === '*') return true
  if (pattern.startsWith('*.')) return name.endsWith(pattern.slice(1))
  return name === pattern || (isIP(name) === 0 && name.endsWith(`.${pattern}`))
}

export const plainHost = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

export interface Target {
  readonly host: string
  readonly port: number
}

/** Parses host and port; every notation of a host is normalised to the form that rules use: `0x7f.1` is 127.0.0.1. */
export function readTarget(authority: string, defaultPort: number): Target | null {
  try {
    const url = new URL(`http://${authority}`)
    if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.hostname === '') return null
    const port = /:(\d+)$/.exec(authority)?.[1]
    return { host: plainHost(url.hostname), port: port === undefined ? defaultPort : Number(port) }
  } catch {
    return null
  }
}
