/** Longer than any report may be; text before it is not searched. */
const maxText = 512 * 1024
const maxTries = 200
/** Of more objects, the last ones are meant. */
const maxObjects = 10

type JsonObject = Record<string, unknown>

/** Returns the JSON objects in a text, the last first: those in code fences, or else a bare one between words. */
export function objectsIn(text: string): JsonObject[] {
  const end = text.slice(-maxText)
  const fenced: JsonObject[] = []
  const fences = fencesIn(end).filter((code) => /^\s*\{/.test(code))
  for (const code of fences.slice(-maxTries).reverse()) {
    const found = parseObject(code)
    if (found !== null) fenced.push(found)
    if (fenced.length === maxObjects) break
  }
  if (fenced.length > 0) return fenced
  const bare = bareObject(end)
  return bare === null ? [] : [bare]
}

const fence = '```'

/** Scans the text once; a regular expression would restart at every backtick. */
function fencesIn(text: string): string[] {
  const found: string[] = []
  for (let open = text.indexOf(fence); open >= 0;) {
    const line = text.indexOf('\n', open)
    const close = line < 0 ? -1 : text.indexOf(fence, line + 1)
    if (close < 0) break
    found.push(text.slice(line + 1, close))
    open = text.indexOf(fence, close + fence.length)
  }
  return found
}

/** Parses from the first brace that begins an object to the last brace: the text around it is prose. */
function bareObject(text: string): JsonObject | null {
  const last = text.lastIndexOf('}')
  for (let at = text.indexOf('{'), tries = 0; at >= 0 && at < last && tries < maxTries; tries += 1) {
    const found = parseObject(text.slice(at, last + 1))
    if (found !== null) return found
    at = text.indexOf('{', at + 1)
  }
  return null
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}
