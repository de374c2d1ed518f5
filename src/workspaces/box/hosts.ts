import { isIP } from 'node:net'

/** `example.org` means it and everything below it, `*.example.org` only what is below; an address means itself. */
export function matchesHost(host: string, rule: string): boolean {
  const wanted = plainHost(rule)
  const given = plainHost(host)
  if (wanted === '*') return true
  if (wanted.startsWith('*.')) return given.endsWith(wanted.slice(1))
  return given === wanted || (isIP(given) === 0 && given.endsWith(`.${wanted}`))
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

/** Every way of writing a host is brought into the one form that rules speak of: `0x7f.1` is 127.0.0.1. */
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
