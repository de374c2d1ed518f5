/** A thing that a verifier has looked at: a text, or a file with the proof that it was opened. */
export type CheckedItem =
  | string
  | {
      readonly path?: string | undefined
      readonly sha256?: string | undefined
      readonly line?: number | undefined
      readonly quote?: string | undefined
      readonly what?: string | undefined
    }

/** Returns a checked item in one line, as every screen shows it. */
export function checkedText(item: CheckedItem): string {
  if (typeof item === 'string') return item
  const { path, sha256, line, quote, what } = item
  const place = path === undefined ? [] : [line === undefined ? path : `${path}:${line}`]
  const proof = quote === undefined ? (sha256 === undefined ? [] : [`sha256 ${sha256.slice(0, 12)}…`]) : [quoted(quote)]
  return [...place, ...proof, ...(what === undefined ? [] : [what])].join(': ')
}

const quoted = (quote: string): string => {
  const line = quote.replace(/\s+/g, ' ').trim()
  return line === '' ? 'empty' : `“${line.length <= 120 ? line : `${line.slice(0, 119)}…`}”`
}
