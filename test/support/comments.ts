/** Returns a TypeScript source without its comments; the line structure of code stays. */
export const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*/g, '')
