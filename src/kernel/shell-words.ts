/** Quotes a word for a person's shell, only where it needs quotes. */
export const shellWord = (text: string): string =>
  /^[\w./@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
