import { readFileSync } from 'node:fs'

import { refusal } from '../../../kernel/errors.ts'

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

/** Splits a text into words like a shell, without running one: quotes and backslashes count, nothing is expanded. */
export function shellWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string
    const next = text[index + 1]
    if (quote === "'" && character !== "'") word = (word ?? '') + character
    else if (character === '\\' && next !== undefined && (quote === '' || '"\\$`'.includes(next))) {
      word = (word ?? '') + next
      index++
    } else if (quote !== '' && character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + character
  }
  if (quote !== '') throw refusal('invalid_input', `--program has a quote (${quote}) that is not closed`)
  if (word !== null) words.push(word)
  if (words.length === 0) throw refusal('invalid_input', '--program is empty', { hint: 'agency run --help' })
  return words
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
