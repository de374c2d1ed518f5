import { maxLineBytes } from './output.ts'

/**
 * Makes text safe for a terminal and every store: of escape sequences only colours stay, and of the states of a progress
 * line the last one; no control characters (PostgreSQL rejects NUL), no half surrogates, at most 64 KB.
 */
export function readable(text: string): string {
  const lines = text.replaceAll('\r\n', '\n')
  const last = lines.includes('\r') ? lines.split('\n').map(lastState).join('\n') : lines
  const clean = (last.includes('\u001b') || /[\u0080-\u009f]/.test(last) ? onlyColours(last) : withoutControls(last))
    .toWellFormed()
    .trimEnd()
  if (Buffer.byteLength(clean) <= maxLineBytes) return clean
  return new TextDecoder('utf-8').decode(Buffer.from(clean).subarray(0, maxLineBytes), { stream: true })
}

/** Returns the state in which a line that was written several times was left. */
const lastState = (line: string): string => line.split('\r').findLast((state) => state !== '') ?? ''

const onlyColours = (text: string): string =>
  text
    .split(colours)
    .map((piece, index) => (index % 2 === 1 ? piece : withoutControls(piece.replace(sequences, ''))))
    .join('')

const withoutControls = (text: string): string => text.replace(unsafe, '\ufffd')

// oxlint-disable-next-line no-control-regex -- The pattern searches for control characters.
const colours = /(\u001b\[[\d;:]{0,40}m)/

/**
 * Titles, links and other strings of a terminal, then its commands. No part of a sequence can begin another one, so that
 * an agent cannot make the search take longer than its output is long; the pattern of Node looks at the rest of a line
 * again for each string that has no end.
 */
const sequences =
  // oxlint-disable-next-line no-control-regex -- As above.
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g

// oxlint-disable-next-line no-control-regex -- As above.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
