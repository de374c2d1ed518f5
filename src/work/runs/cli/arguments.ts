import { readFileSync } from 'node:fs'

import { refusal } from '../../../kernel/errors.ts'
import { shellWords } from '../../../kernel/shell-words.ts'

/** Parses `file:PATH`, `command:CMD`, `artifact:PATH`, `artifact`, or evidence as JSON; the daemon validates it. */
export function parseEvidence(text: string): object {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as object
    } catch (error) {
      throw refusal('invalid_input', `--evidence is not JSON: ${(error as Error).message}`)
    }
  }
  const colon = text.indexOf(':')
  const kind = colon < 0 ? text : text.slice(0, colon)
  const value = colon < 0 ? '' : text.slice(colon + 1)
  if (kind === 'artifact') return value === '' ? { kind } : { kind, path: value }
  if (kind === 'file' && value !== '') return { kind, path: value }
  if (kind === 'command' && value !== '') return { kind, run: value }
  throw refusal('invalid_input', `--evidence "${text}" is none of file:PATH, command:CMD, artifact:PATH`, {
    hint: 'agency run --help',
  })
}

/** Parses `name=value` pairs, each name once: numbers, true, false and JSON become values, everything else is text. */
export function parseOptions(given: readonly string[]): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (const text of given) {
    const [, name, value] = /^([a-z][a-z0-9_]*)=([\s\S]*)$/.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw refusal('invalid_input', `--option "${text}" is not name=value`, { hint: 'agency run --help' })
    if (Object.hasOwn(options, name)) throw refusal('invalid_input', `--option ${name} is given twice`)
    options[name] = optionValue(value)
  }
  return options
}

function optionValue(text: string): unknown {
  if (!/^(-?\d+(\.\d+)?|true|false|[[{"].*)$/s.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Splits the command of a program into its words, like a shell. */
export function programWords(text: string): string[] {
  const found = shellWords(text)
  if ('open' in found) throw refusal('invalid_input', `--program has a quote (${found.open}) that is not closed`)
  if (found.words.length === 0) throw refusal('invalid_input', '--program is empty', { hint: 'agency run --help' })
  return found.words
}

/**
 * Returns the name of a built-in scenario unchanged, or the text of a file: the daemon has another working directory.
 */
export function readScenario(text: string): string {
  if (!/[/.]/.test(text)) return text
  try {
    // The last line of a file may have no end, and a text of one line could be a name.
    return `${readFileSync(text, 'utf8')}\n`
  } catch (error) {
    throw refusal('invalid_input', `the scenario ${text} cannot be read: ${(error as Error).message}`)
  }
}
