/**
 * Writes out control characters, marks of direction, invisible characters and odd spaces as their codes. Long gaps are
 * counted, because they push the rest of a command off the screen. Nothing is shortened.
 */
export const escapeHidden = (text: string): string =>
  text
    .replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
    .replace(/ {21,}/g, (spaces) => `⟨${spaces.length} spaces⟩`)
    .replace(/\n{4,}/g, (breaks) => `\n⟨${breaks.length - 1} empty lines⟩\n`)

const hidden = /(?! |\n)[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
