export const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Returns the object in a JSON text; another text has no fields. */
export function objectIn(text: string): Record<string, unknown> {
  try {
    return { ...objectOf(JSON.parse(text)) }
  } catch {
    return {}
  }
}

export function setOrDelete(target: Record<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) delete target[key]
  else target[key] = value
}
