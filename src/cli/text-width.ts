/** Returns the number of columns that a text takes on a terminal; colour codes take none. */
export function textWidth(text: string): number {
  let width = 0
  // oxlint-disable-next-line no-control-regex
  for (const character of text.replace(/\x1b\[[0-9;]*m/g, '')) width += characterWidth(character)
  return width
}

/** Characters of two columns: East Asian wide and full-width forms, and emoji; marks and joiners have none. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
export const characterWidth = (character: string): number => {
  if (character >= ' ' && character <= '~') return 1
  if (/[\p{Mark}\u200b-\u200d]/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}
