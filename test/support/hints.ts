import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

import { isSyntax, type Syntax, visitSource } from './syntax.ts'

/** A command line that a text mentions, such as `agency approve <run>`. */
export interface Hint {
  readonly file: string
  readonly line: number
  /** Without `agency` itself. */
  readonly command: string
  /** Documents may name a command without its arguments; messages may not, because people copy them. */
  readonly isDocument: boolean
}

/** Stands for a value that is known only when the text is printed. */
export const placeholder = '<value>'

/** Collects every `agency …` from the strings of source files and from the code of Markdown files. */
export function collectHints(root: string, folders: readonly string[], documents: readonly string[]): Hint[] {
  const files = folders.flatMap((folder) => filesUnder(join(root, folder)))
  const sources = files.filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|contract-suite\.ts$/.test(path))
  const prompts = files.filter((path) => path.endsWith('.md'))
  const nameOf = (path: string): string => relative(root, path).replaceAll('\\', '/')
  return [
    ...sources.flatMap((path) => hintsInSource(nameOf(path), readFileSync(path, 'utf8'))),
    ...[...prompts, ...documents.map((path) => join(root, path))].flatMap((path) =>
      hintsInMarkdown(nameOf(path), readFileSync(path, 'utf8')),
    ),
  ]
}

export function hintsInSource(file: string, text: string): Hint[] {
  const hints: Hint[] = []
  visitSource(file, text, (node, line) => {
    const printed = printedText(node)
    if (printed !== null)
      for (const command of commandsIn(printed)) hints.push({ file, line: line(), command, isDocument: false })
  })
  return hints
}

/** Reads fenced and inline code only: prose has no command lines. */
export function hintsInMarkdown(file: string, text: string): Hint[] {
  const hints: Hint[] = []
  let isFenced = false
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced
    const code = isFenced ? [line] : [...line.matchAll(/(`+)(.+?)\1/g)].map(([, , inner = '']) => inner)
    for (const each of code)
      for (const command of commandsIn(each)) hints.push({ file, line: index + 1, command, isDocument: true })
  }
  return hints
}

/** Returns the text that a node prints, with placeholders for its expressions; null for nodes that print none. */
function printedText(node: Syntax): string | null {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  if (node.type === 'TemplateLiteral') {
    const quasis = node['quasis'] as { value: { cooked: string } }[]
    return joinParts(quasis.map(({ value }) => value.cooked))
  }
  if (node.type !== 'JSXElement') return null
  const children = node['children'] as Syntax[]
  return children
    .map((child) => {
      if (child.type === 'JSXText') return child['value'] as string
      const expression = child['expression']
      if (isSyntax(expression) && expression.type === 'Literal') return ''
      return placeholder
    })
    .join('')
    .replace(/\s+/g, ' ')
}

/** A value behind a letter continues a word, and may be empty; behind a space it is a word of its own. */
const joinParts = (parts: readonly string[]): string =>
  parts.reduce((before, part) => `${before}${/\s$/.test(before) ? placeholder : ''}${part}`)

/**
 * Finds the command lines in a text. One between quotes or brackets ends there, another with its sentence. The prefix
 * `agency mcp:` of log lines and the name of the event chain are not command lines.
 */
export function commandsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w./@-])agency (?=[a-z])(?!mcp:|chain )/g)].map(({ index, 0: name }) => {
    const before = text[index - 1] ?? ''
    const closing = { '"': '"', "'": "'", '`': '`', '“': '”' }[before]
    return endOf(text.slice(index + name.length), closing)
  })
}

function endOf(rest: string, closing: string | undefined): string {
  let quote = ''
  for (let at = 0; at < rest.length; at++) {
    const character = rest[at] as string
    if (quote === '' && character === closing) return rest.slice(0, at)
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || (character === "'" && rest.includes("'", at + 1))) quote = character
    else if (ending.test(rest.slice(at, at + 3))) return trimSentence(rest.slice(0, at))
  }
  return trimSentence(rest)
}

/** Punctuation, a closing tag, a pipe or redirection, a bracket, a continued line, or the gap before a column. */
const ending = /^([\n;)·─│,]|<\/|\s([|<>&#]\s|\(|\\$|\s))/

const trimSentence = (text: string): string => text.trim().replace(/(?<=\S)[.:?!]$/, '')

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesUnder(path)
    return [path]
  })
}
