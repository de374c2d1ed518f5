import { forgetInAnswers } from '../db/once.ts'
import type { Tx } from '../db/port.ts'
import { keyOf, type Table } from '../db/table.ts'
import { bug } from '../kernel/errors.ts'
import { canonicalJson } from '../kernel/json.ts'
import { snakeCase } from '../kernel/text.ts'
import type { NewEvent } from './append.ts'
import { type Change, record } from './change.ts'
import { rowName } from './rebuilt-rows.ts'
import { storedChanges } from './stored-changes.ts'

export interface Forgotten {
  /** Sequence of the event that says so. */
  readonly seq: number
  /**
   * Sequences of older events of the stream that have the text itself, because its column was sealed after them. Events
   * are never removed, so a command that forgets shows these to its user.
   */
  readonly keptBy: readonly number[]
}

/** Blanks sealed fields of a row, all of them if none are named. */
export function forgotten<Row extends object>(
  table: Table<Row>,
  row: Row,
  fields: readonly (keyof Row & string)[] = table.sealed,
): Change {
  if (fields.length === 0) throw bug(`${table.name} has no sealed field to forget`)
  for (const field of fields)
    if (!table.sealed.includes(field)) throw bug(`${table.name}.${field} is not sealed: its events have the text`)
  return { sign: '=', table, row, patch: Object.fromEntries(fields.map((field) => [field, null])), forgets: true }
}

/**
 * Records one event and the changes that belong to it, of which at least one forgets. The event names what is forgotten
 * and the older events that still have it, in its message and in its data. Stored answers to repeated requests lose the
 * text too.
 */
export async function forget(tx: Tx, event: NewEvent, changes: readonly Change[]): Promise<Forgotten> {
  const forgetting = changes.filter(({ forgets }) => forgets === true)
  if (forgetting.length === 0) throw bug(`the event "${event.kind}" forgets nothing; record it instead`)
  const keptBy = await findKept(tx, forgetting)
  for (const { row, patch } of forgetting)
    for (const field of Object.keys(patch)) {
      const text = (row as Record<string, unknown>)[field]
      if (typeof text === 'string') await forgetInAnswers(tx, field, text)
    }
  const data = {
    ...event.data,
    forgotten: forgetting.flatMap(({ table, row, patch }) =>
      Object.keys(patch).map((field) => `${rowName(table.name, keyOf(table, row))}: ${snakeCase(field)}`),
    ),
    kept_by: keptBy,
  }
  const seq = await record(tx, { ...event, message: `${event.message}${keptText(keptBy.length)}`, data }, changes)
  return { seq, keptBy }
}

/** Finds the events that have a forgotten text itself, whether it is the newest text of its column or an older one. */
async function findKept(tx: Tx, forgetting: readonly Change[]): Promise<number[]> {
  const kept = new Set<number>()
  for (const { table, row, patch } of forgetting) {
    const key = canonicalJson(keyOf(table, row))
    const columns = Object.keys(patch).map(snakeCase)
    for await (const { seq, changes } of storedChanges(tx, table.stream(row), table.name))
      for (const [, name, changedKey, values] of changes)
        if (name === table.name && canonicalJson(changedKey) === key)
          if (columns.some((column) => typeof values[column] === 'string')) kept.add(seq)
  }
  return [...kept].sort((one, other) => one - other)
}

const keptText = (count: number): string =>
  count === 0
    ? ''
    : count === 1
      ? '; one older event still has the text'
      : `; ${count} older events still have the text`
