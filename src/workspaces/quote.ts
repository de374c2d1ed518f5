/** Words as one shell command in which none of them means anything: no quote, newline or `$(…)` gets out. */
export const shellCommand = (words: readonly string[]): string => words.map(shellQuote).join(' ')

export const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
