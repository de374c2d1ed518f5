import type { Endpoint, Method } from './endpoint.ts'

/** An operation as it travels over HTTP. */
export interface WireRequest {
  readonly method: Method
  /** With `/api`, path parameters and query filled in. */
  readonly path: string
  readonly body: string | null
}

/**
 * Builds the request of an operation: fields that the path names go into it, the rest goes into the query of a GET or
 * DELETE and into the body of the others. Undefined fields are left out, and in a query also those that are null. Half a
 * surrogate pair becomes U+FFFD in an address: models do write such text, and encoding it unchanged would throw.
 */
export function requestFor({ method, path }: Endpoint, input: object = {}): WireRequest {
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encoded(value)
  })
  if (method !== 'GET' && method !== 'DELETE')
    return { method, path: `/api${filled}`, body: JSON.stringify(Object.fromEntries(rest)) }
  const pairs = [...rest].filter(([, value]) => value !== null).map(([name, value]) => `${name}=${encoded(value)}`)
  return { method, path: `/api${filled}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`, body: null }
}

const encoded = (value: unknown): string => encodeURIComponent(String(value).toWellFormed())
