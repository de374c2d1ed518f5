/** Longer than any report may be; more is not looked through. */
const maxText = 512 * 1024
const maxLooks = 200

type Found = Record<string, unknown>

/** The objects that a text gives as JSON, the last first: in fences of code, or bare among its words. */
export function objectsIn(text: string): Found[] {
  const end = text.slice(-maxText)
  const fences = [...end.matchAll(/```(?:json)?[^\n]*\n([\s\S]*?)```/g)]
  const fenced = fences.map(([, code = '']) => parsed(code)).filter((each) => each !== null)
  if (fenced.length > 0) return fenced.reverse()
  const bare = bareObject(end)
  return bare === null ? [] : [bare]
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
