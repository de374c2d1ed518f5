/** `runId` → `run_id`. Names are snake_case in SQL, JSON and YAML, camelCase in TypeScript. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Cuts the text at `max` characters and ends it with "…", so that the part is not mistaken for the whole. */
export const shorten = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/** Puts text of an agent on one line: line breaks and invisible characters, which could hide a part of it, are spaces. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** Leaves out the middle of a longer text: a program says first what it does, and last how it ended. */
export function shortenMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const mark = `\n… ${text.length - max} characters left out …\n`
  const end = Math.floor((max - mark.length) / 2)
  return `${text.slice(0, max - mark.length - end)}${mark}${text.slice(-end)}`
}

/** Returns the last lines of an output, without the colours of a terminal. */
export function endOfOutput(text: string, { lines = 20, characters = 2_000 } = {}): string {
  // oxlint-disable-next-line no-control-regex -- Colours begin with a control character.
  const plain = text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').trimEnd()
  const end = plain.split('\n').slice(-lines).join('\n')
  return end.length <= characters ? end : `…${end.slice(1 - characters)}`
}

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

// oxlint-disable-next-line no-control-regex -- Colours begin with a control character.
const colour = /\u001b\[[\d;:]{0,40}m/g

/** Removes the colours of a terminal from the output of a program. */
export const withoutColours = (text: string): string => (text.includes('\u001b') ? text.replace(colour, '') : text)

/**
 * Keeps the colours of an output for a terminal, and passes everything between them through `clean`. Text without a
 * contrast (conceal) is shown, and a colour ends with its line.
 */
export function withColours(text: string, clean: (piece: string) => string): string {
  let from = 0
  let shown = ''
  for (const { index, 0: code } of text.matchAll(colour)) {
    shown += clean(text.slice(from, index)) + (isConceal(code) ? '' : code)
    from = index + code.length
  }
  return from === 0 ? clean(text) : (shown + clean(text.slice(from))).replace(/\n/g, '\u001b[0m\n')
}

const isConceal = (code: string): boolean => /[[;:]0*8[;:m]/.test(code) && !/[34]8/.test(code)
