export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Serialises with keys sorted at every depth: equal values have equal text, so hashes can be compared. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
