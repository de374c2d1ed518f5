export interface Piece {
  readonly text: string
  /** Written out because it would not be seen, or would make a reader see something else. */
  readonly odd: boolean
}

/** Longer lines are made by machines and read by them. */
export const longest = 2_000

/**
 * A line as a reader has to see it: signs that turn the direction of a text, that have no width or that move a cursor
 * are written out, so that what is approved is what was read.
 */
export function escapeInvisible(text: string): Piece[] {
  const line = text.length > longest ? text.slice(0, longest) : text
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: sign, index } of line.matchAll(unseen)) {
    if (index > from) pieces.push({ text: line.slice(from, index), odd: false })
    pieces.push({ text: nameOf(sign), odd: true })
    from = index + sign.length
  }
  if (from < line.length) pieces.push({ text: line.slice(from), odd: false })
  if (line.length < text.length) pieces.push({ text: ` … ${text.length - longest} more characters`, odd: true })
  return pieces
}

const unseen = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}]|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

const nameOf = (sign: string): string =>
  sign === '\r' ? '\\r' : sign === '\u001b' ? '\\e' : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
