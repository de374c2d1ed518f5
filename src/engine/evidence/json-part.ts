/**
 * Returns the path, such as `$.items[2].id`, where `whole` does not contain `part`; null if it contains all of it.
 * Objects may have more keys; lists and all other values must be equal.
 */
export function missingIn(whole: unknown, part: unknown, path = '$', depth = 0): string | null {
  if (depth > 200) return path
  if (Array.isArray(part)) {
    if (!Array.isArray(whole) || whole.length !== part.length) return path
    return firstOf(part, (item, index) => missingIn(whole[index], item, `${path}[${index}]`, depth + 1))
  }
  if (typeof part !== 'object' || part === null) return Object.is(whole, part) ? null : path
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return path
  return firstOf(Object.entries(part), ([key, value]) =>
    Object.hasOwn(whole, key)
      ? missingIn((whole as Record<string, unknown>)[key], value, `${path}.${key}`, depth + 1)
      : `${path}.${key}`,
  )
}

function firstOf<T>(items: readonly T[], look: (item: T, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const found = look(item, index)
    if (found !== null) return found
  }
  return null
}
