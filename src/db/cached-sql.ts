const texts = new Map<string, string>()

/** Returns the SQL text for a key, which is built once. */
export function cachedSql(key: string, build: () => string): string {
  let text = texts.get(key)
  if (text === undefined) {
    text = build()
    texts.set(key, text)
  }
  return text
}
