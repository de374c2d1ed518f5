export interface Piece {
  readonly text: string
  /** The piece spells out a character that is invisible or would change the look of the text. */
  readonly odd: boolean
}

/** Longer lines are cut: they are generated, and not meant for people. */
export const longest = 2_000

/**
 * Splits a line into plain pieces and spelled-out characters: those that change the direction of text, have no width or
 * move a cursor. So an approved text is the text that was read.
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
