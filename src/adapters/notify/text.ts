import { shorten, snakeCase } from '../../kernel/text.ts'
import type { Notification } from './port.ts'

/** Replaces characters that move a cursor, change the writing direction or start a line: the text is untrusted. */
export const onOneLine = (text: string): string =>
  text
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(/\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\uFFFD')
    .toWellFormed()
    .trim()

/** Does the same for text of several lines. */
export const onLines = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\uFFFD')
    .toWellFormed()
    .trim()

/** Returns the message as plain text without its title: summary, actions, link. */
export function plainText(message: Notification): string {
  const actions = message.actions
    .slice(0, 20)
    .map(({ label, command, link }) => cut(onOneLine(`${label}: ${[command, link].filter(Boolean).join('  ')}`), 1_000))
  return [cut(onLines(message.summary), 10_000), actions.join('\n'), onOneLine(message.link ?? '')]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Returns the message as JSON, with the names of the API. */
export const jsonText = (message: Notification): string =>
  JSON.stringify(Object.fromEntries(Object.entries(message).map(([name, value]) => [snakeCase(name), value])))

/** Cuts as `shorten` does, but never in the middle of a character. */
export function cut(text: string, max: number): string {
  const short = shorten(text, max)
  return short.isWellFormed() ? short : `${short.slice(0, -2)}…`
}
