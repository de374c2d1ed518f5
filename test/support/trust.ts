import { createHash } from 'node:crypto'

/** Returns the hashes by which a request trusts these files. */
export const trustOf = (...texts: readonly string[]): string[] =>
  texts.map((text) => createHash('sha256').update(text).digest('hex'))
