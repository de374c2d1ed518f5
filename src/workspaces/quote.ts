/** Joins words into one shell command that takes them literally: no quote, newline or `$(…)` is interpreted. */
export const shellCommand = (words: readonly string[]): string => words.map(shellQuote).join(' ')

export const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
