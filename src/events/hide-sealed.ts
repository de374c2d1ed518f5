import type { AnyTable } from '../db/table.ts'
import type { NewEvent } from './append.ts'

interface ChangedRow {
  readonly table: AnyTable
  readonly row: object
  readonly patch: object
}

/** The shortest passage of a sealed text that is hidden where an event quotes it; shorter ones are ordinary words. */
const passage = 24
/** A whole text that is shorter than this is not hidden: it might be any word of the message. */
const shortest = 8

const hidden = '[sealed]'

/**
 * Replaces the passages of sealed texts of the changed rows in the message and the data of their event: an event is never
 * removed, so a text that it quotes could never be forgotten.
 */
export function hideSealed(event: NewEvent, changes: readonly ChangedRow[]): NewEvent {
  if (!changes.some(({ table }) => table.sealed.length > 0)) return event
  const texts = changes.flatMap(({ table, row, patch }) =>
    table.sealed.flatMap((field) => [row, patch].map((of) => (of as Record<string, unknown>)[field as string])),
  )
  const sealed = [...new Set(texts)]
    .filter((text) => typeof text === 'string')
    .filter((text) => text.length >= shortest)
  if (sealed.length === 0) return event
  const hide = (text: string): string => sealed.reduce(hidePassages, text)
  return {
    ...event,
    message: hide(event.message),
    ...(event.data === undefined ? {} : { data: hideDeeply(event.data, hide) as Record<string, unknown> }),
  }
}

function hideDeeply(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((each) => hideDeeply(each, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [hide(name), hideDeeply(each, hide)]))
}

/** Replaces each passage of `text` that `sealed` has too, at its greatest length. */
function hidePassages(text: string, sealed: string): string {
  const length = Math.min(passage, sealed.length)
  if (text.length < length) return text
  const passages = new Set<string>()
  for (let from = 0; from + length <= sealed.length; from++) passages.add(sealed.slice(from, from + length))
  let shown = ''
  let shownTo = 0
  for (let from = 0; from + length <= text.length;) {
    let to = from
    while (to + length <= text.length && passages.has(text.slice(to, to + length))) to++
    if (to === from) {
      from++
      continue
    }
    const end = to + length - 1
    shown += text.slice(shownTo, from) + hidden
    shownTo = from = end
  }
  return shown + text.slice(shownTo)
}
