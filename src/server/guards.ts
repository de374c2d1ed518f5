import { type AgencyError, refusal } from '../kernel/errors.ts'
import type { Via } from './credentials.ts'

/**
 * Refuses requests for other host names: a foreign page can make a browser send requests to 127.0.0.1 under a name of
 * its own (DNS rebinding). No browser reaches the unix socket, where every name is accepted.
 */
export function checkHost(host: string | undefined, via: Via, port: number, names: HostNames): void {
  if (via !== 'tcp') return
  const name = host?.toLowerCase() ?? ''
  const own = ['127.0.0.1', 'localhost', '[::1]', ...(names.ownName === null ? [] : [names.ownName])]
  if (own.some((each) => name === `${each}:${port}` || (port === 80 && name === each))) return
  if (
    names.allowedHosts.some((each) => name === each.toLowerCase() || name.replace(/:\d+$/, '') === each.toLowerCase())
  )
    return
  throw refusal('forbidden', 'the Host header does not name this server', {
    hint: `Use http://127.0.0.1:${port}.`,
  })
}

export interface HostNames {
  /** The name of this home, such as `a1b2c3.localhost`. */
  readonly ownName: string | null
  /** Further names, with or without a port. */
  readonly allowedHosts: readonly string[]
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
export const isSafe = (method: string): boolean => safeMethods.has(method)

export interface Sender {
  method: string
  host: string | undefined
  origin: string | undefined
  /** Sec-Fetch-Site */
  site: string | undefined
  byCookie: boolean
}

/**
 * Refuses requests from pages of other origins. A browser sends a cookie for any page that makes it send a request, so
 * with a cookie the browser has to state that the page is ours. Pages on other ports of this machine are the same site
 * to a browser, but never the same origin.
 */
export function checkOrigin({ method, host, origin, site, byCookie }: Sender): void {
  if (origin !== undefined) {
    if ((byCookie || !isSafe(method)) && hostOf(origin) !== host?.toLowerCase()) throw foreign()
    return
  }
  if (!byCookie) return
  if (site !== undefined ? site !== 'same-origin' && site !== 'none' : !isSafe(method)) throw foreign()
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host
  } catch {
    return undefined
  }
}

const foreign = (): AgencyError =>
  refusal('forbidden', 'this request comes from a page of another origin', {
    hint: 'Programs send a bearer token and no Origin header.',
  })

export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
