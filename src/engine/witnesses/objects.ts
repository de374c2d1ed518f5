export const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Returns the object in a JSON text; null: it cannot be read. */
export function readObject(text: string): Record<string, unknown> | null {
  try {
    return { ...objectOf(JSON.parse(text)) }
  } catch {
    return null
  }
}

/** Returns the object in a JSON text; another text has no fields. */
export const objectIn = (text: string): Record<string, unknown> => readObject(text) ?? {}

export function setOrDelete(target: Record<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) delete target[key]
  else target[key] = value
}
