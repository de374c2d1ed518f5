import { type AgencyError, refusal } from '../kernel/errors.ts'

export type Via = 'socket' | 'tcp'

/**
 * A page elsewhere can make a browser send requests to 127.0.0.1, under a name of its own (DNS rebinding).
 * Whoever names us otherwise than we are called here is such a page. No browser reaches the unix socket.
 */
export function checkHost(host: string | undefined, via: Via, port: number, allowedHosts: readonly string[]): void {
  if (via === 'socket') return
  const name = host?.toLowerCase() ?? ''
  const own = ['127.0.0.1', 'localhost', '[::1]']
  if (own.some((each) => name === `${each}:${port}` || (port === 80 && name === each))) return
  if (allowedHosts.some((each) => name === each.toLowerCase() || name.replace(/:\d+$/, '') === each.toLowerCase()))
    return
  throw refusal('forbidden', 'this server does not answer to that Host', {
    hint: `Use http://127.0.0.1:${port}.`,
  })
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
 * A cookie goes along with whatever page makes a browser send a request, so there the browser has to say that it was
 * one of ours. Pages on other ports of this machine count as the same site to it, but never as the same origin.
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
