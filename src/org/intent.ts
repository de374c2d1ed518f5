import { fold } from '../kernel/text.ts'
import type { Intent } from './organisations/contract.ts'

const headings = {
  optimiseFor: 'Optimise for',
  protect: 'Protect',
  neverSacrifice: 'Never sacrifice',
  constraints: 'Constraints',
} as const satisfies Record<keyof Intent, string>
type ListName = keyof typeof headings
const listNames = Object.keys(headings) as ListName[]

export interface ParsedIntent {
  intent: Intent
  /** One sentence each, for the author of the text. */
  warnings: string[]
}

/** Parses the four lists of an intent.md. All other content is for people; without any heading all lists are empty. */
export function parseIntent(text: string): ParsedIntent {
  const intent: Intent = { optimiseFor: [], protect: [], neverSacrifice: [], constraints: [] }
  const warnings: string[] = []
  const seen = new Set<ListName>()
  for (const line of readLines(text)) {
    if (line.item !== null && line.list !== null) intent[line.list].push(line.item)
    if (line.heading === null) continue
    const { number, text: title, level } = line.heading
    if (line.startsList !== null) {
      if (seen.has(line.startsList)) warnings.push(`line ${number}: "## ${title}" appears twice; its items are joined`)
      seen.add(line.startsList)
    } else if (listOf(title) !== null)
      warnings.push(
        level === 0
          ? `line ${number}: "${title}" is ignored; it needs a space after the #`
          : `line ${number}: "${title}" is ignored; it needs two # and has ${level}`,
      )
    else if (level === 2)
      warnings.push(
        `line ${number}: "## ${title}" is not one of ${listNames.map((name) => headings[name]).join(', ')}; it is kept but ignored`,
      )
  }
  return { intent, warnings }
}

/**
 * Returns the same text with other lists: only their items change, and a missing heading is added where it is needed.
 */
export function renderIntent(text: string, wanted: Intent): string {
  const { intent: present } = parseIntent(text)
  const changed = new Set(listNames.filter((name) => !isSame(present[name], wanted[name])))
  if (changed.size === 0) return text
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const pending = new Set(changed)
  const out: string[] = []
  const { lines, open } = collect(text)
  for (const [index, line] of lines.entries()) {
    const isReplaced = line.list !== null && changed.has(line.list) && line.isOfItem
    if (!isReplaced) out.push(line.raw)
    if (line.list === null || !pending.has(line.list)) continue
    // At the first item, or directly below the heading where the list has no item.
    const hasItems = lines.some((each) => each.list === line.list && each.isOfItem)
    if (hasItems ? !line.isOfItem : line.startsList === null) continue
    pending.delete(line.list)
    const items = itemLines(wanted[line.list])
    if (hasItems) out.push(...items)
    else if (items.length > 0) out.push('', ...items, ...((lines[index + 1]?.raw ?? '') === '' ? [] : ['']))
  }
  if (pending.size > 0 && open !== '') out.push(open)
  for (const name of listNames)
    if (pending.has(name)) {
      if (out.length > 0 && out.at(-1) !== '') out.push('')
      out.push(`## ${headings[name]}`, '', ...itemLines(wanted[name]), '')
    }
  const rendered = out.join(newline).replace(/(?<![\r\n])(\r?\n)+$/, '')
  return `${rendered}${newline}`
}

function collect(text: string): { lines: Line[]; open: string } {
  const lines: Line[] = []
  const reading = readLines(text)
  for (;;) {
    const next = reading.next()
    if (next.done === true) return { lines, open: next.value }
    lines.push(next.value)
  }
}

interface Line {
  raw: string
  /** The list that this line belongs to. */
  list: ListName | null
  heading: { number: number; level: number; text: string } | null
  /** Set where this line is the heading of a list. */
  startsList: ListName | null
  /** The whole item, on its first line. */
  item: string | null
  /** Whether this is an item's first line or a continuation of it. */
  isOfItem: boolean
}

/** Yields the lines; returns the text that closes a code block or comment that is left open. */
function* readLines(text: string): Generator<Line, string> {
  const raws = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  let list: ListName | null = null
  let fence: string | null = null
  let isComment = false
  let itemEnd = -1
  for (const [index, raw] of raws.entries()) {
    const line: Line = { raw, list, heading: null, startsList: null, item: null, isOfItem: index < itemEnd }
    if (line.isOfItem) {
      yield line
      continue
    }
    const opened = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1]
    const isPlain = fence === null && opened === undefined && !isComment && !raw.trimStart().startsWith('<!--')
    if (isComment || (fence === null && raw.trimStart().startsWith('<!--'))) isComment = !raw.includes('-->')
    else if (fence === null) fence = opened ?? null
    else if (opened !== undefined && opened.startsWith(fence)) fence = null
    if (isPlain) {
      const heading = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/.exec(raw)
      const glued = /^ {0,3}#{1,6}([^#\s].*)$/.exec(raw)?.[1]
      if (glued !== undefined && listOf(glued) !== null) line.heading = { number: index + 1, level: 0, text: glued }
      else if (heading !== null) {
        const level = (heading[1] as string).length
        const title = heading[2] as string
        line.heading = { number: index + 1, level, text: title }
        if (level <= 2) list = level === 2 ? listOf(title) : null
        line.startsList = level === 2 ? list : null
        line.list = list
      } else if (list !== null) {
        const item = itemAt(raws, index)
        if (item !== null) {
          line.item = item.text
          line.isOfItem = true
          itemEnd = item.end
        }
      }
    }
    yield line
  }
  return fence ?? (isComment ? '-->' : '')
}

/** An item continues over the indented lines below it, up to the next item. */
function itemAt(raws: readonly string[], index: number): { text: string; end: number } | null {
  const first = itemStart.exec(raws[index] as string)
  if (first === null) return null
  const parts = [first[1] as string]
  let end = index + 1
  for (; end < raws.length; end++) {
    const raw = raws[end] as string
    if (!/^[ \t]+\S/.test(raw) || itemStart.test(raw)) break
    parts.push(raw)
  }
  return { text: tidy(parts.join(' ')), end }
}

const itemStart = /^[ \t]*[-*+][ \t]+(\S.*)$/

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim()

const itemLines = (items: readonly string[]): string[] =>
  items.flatMap((item) => (tidy(item) === '' ? [] : [`- ${tidy(item)}`]))

const isSame = (a: readonly string[], b: readonly string[]): boolean => {
  const wanted = b.map(tidy).filter((item) => item !== '')
  return a.length === wanted.length && a.every((item, index) => item === wanted[index])
}

/** Finds a list by its heading in any spelling and case, with or without a colon. */
function listOf(title: string): ListName | null {
  const wanted = fold(tidy(title).replace(/[:.]$/, '')).replace('optimize', 'optimise')
  return listNames.find((name) => fold(headings[name]) === wanted) ?? null
}
