/** Longer than any report may be; more is not looked through. */
const maxText = 512 * 1024
const maxLooks = 200
/** Who gives more of them means one of the last. */
const maxObjects = 10

type Found = Record<string, unknown>

/** The objects that a text gives as JSON, the last first: in fences of code, or bare among its words. */
export function objectsIn(text: string): Found[] {
  const end = text.slice(-maxText)
  const fenced: Found[] = []
  const fences = fencesIn(end).filter((code) => /^\s*\{/.test(code))
  for (const code of fences.slice(-maxLooks).reverse()) {
    const found = parsed(code)
    if (found !== null) fenced.push(found)
    if (fenced.length === maxObjects) break
  }
  if (fenced.length > 0) return fenced
  const bare = bareObject(end)
  return bare === null ? [] : [bare]
}

const fence = '```'

/** A pattern would begin anew at every backtick; this goes through the text once. */
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

/** From the first brace that begins one: what stands around it are words, what stands in it is its own. */
function bareObject(text: string): Found | null {
  const last = text.lastIndexOf('}')
  for (let at = text.indexOf('{'), looks = 0; at >= 0 && at < last && looks < maxLooks; looks += 1) {
    const found = parsed(text.slice(at, last + 1))
    if (found !== null) return found
    at = text.indexOf('{', at + 1)
  }
  return null
}

function parsed(text: string): Found | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Found) : null
  } catch {
    return null
  }
}
