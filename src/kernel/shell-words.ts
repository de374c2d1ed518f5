/**
 * Splits a text into words like a shell, without running one: quotes and backslashes count, nothing is expanded. Returns
 * the quote that is not closed instead, if there is one.
 */
export function shellWords(text: string): { readonly words: string[] } | { readonly open: string } {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string
    const next = text[index + 1]
    if (quote === "'" && character !== "'") word = (word ?? '') + character
    else if (character === '\\' && next !== undefined && (quote === '' || '"\\$`'.includes(next))) {
      word = (word ?? '') + next
      index++
    } else if (quote !== '' && character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + character
  }
  if (quote !== '') return { open: quote }
  if (word !== null) words.push(word)
  return { words }
}

/** Quotes a word for a person's shell, only where it needs quotes. */
export const shellWord = (text: string): string =>
  /^[\w./@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
