/** `runId` → `run_id`. Names are snake_case in SQL, JSON and YAML, camelCase in TypeScript. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Cuts at `max` characters and says so, so that nobody takes the part for the whole. */
export const shorten = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/** NFKD, lower case, runs of anything else become one hyphen: `Ünï  Kent!` → `uni-kent`. */
export const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** How names are compared: `Dev` and `dev` are one, however an accent is written. */
export const fold = (name: string): string => name.normalize('NFC').toLowerCase()
