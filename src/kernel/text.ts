/** `runId` → `run_id`. Names are snake_case in SQL, JSON and YAML, camelCase in TypeScript. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Cuts the text at `max` characters and ends it with "…", so that the part is not mistaken for the whole. */
export const shorten = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/**
 * Normalises by NFKD, lower-cases, and replaces every run of other characters by one hyphen: `Ünï  Kent!` → `uni-kent`.
 */
export const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** Returns the form in which names are compared: `Dev` and `dev` are equal, in whichever form an accent is encoded. */
export const fold = (name: string): string => name.normalize('NFC').toLowerCase()
