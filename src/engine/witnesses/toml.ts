/** A statement of a TOML file: a heading, or a key with its value. */
export interface TomlStatement {
  /** The lines of the text that it takes, the last one excluded. */
  readonly from: number
  readonly to: number
  /** The table to which it belongs, or which its heading begins. */
  readonly table: readonly string[]
  readonly isHeading: boolean
  /** Each value with all its keys; those of an inline table are values of their own. A table itself has an empty key. */
  readonly values: readonly TomlValue[]
}

export interface TomlValue {
  readonly path: readonly string[]
  /** A normal form, without comments and white space. */
  readonly text: string
  /** The strings of a list. */
  readonly items: readonly string[]
}

/** Reads a TOML text in any style; null: it cannot be read. A key that is written twice is an error. */
export function readToml(text: string): TomlStatement[] | null {
  try {
    return statementsIn(new Cursor(text))
  } catch (error) {
    // Lists within lists may be deeper than the stack.
    if (error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}

function statementsIn(cursor: Cursor): TomlStatement[] {
  const statements: TomlStatement[] = []
  const known = new Set<string>()
  let table: readonly string[] = []
  for (cursor.skip(blank); !cursor.isAtEnd; cursor.skip(blank)) {
    const from = cursor.line
    const opening = cursor.take(/\[\[?/y)
    let values: TomlValue[] = []
    if (opening === null) {
      values = pairAt(cursor, table)
    } else {
      // Each table of a list has its own keys.
      if (opening === '[[') known.clear()
      table = keysAt(cursor)
      cursor.expect(opening === '[' ? /\]/y : /\]\]/y)
      values = [tableAt(table)]
    }
    for (const { path } of values) {
      const name = JSON.stringify(path)
      if (known.has(name)) throw new SyntaxError(`${name} is written twice`)
      known.add(name)
    }
    cursor.expect(/[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y)
    statements.push({ from, to: cursor.isAtEnd ? Infinity : cursor.line, table, isHeading: opening !== null, values })
  }
  return statements
}

const blank = /(?:[ \t\r\n]|#[^\n]*)*/y
const space = /[ \t]*/y

function pairAt(cursor: Cursor, table: readonly string[]): TomlValue[] {
  const path = [...table, ...keysAt(cursor)]
  cursor.expect(/=[ \t]*/y)
  return valuesAt(cursor, path)
}

const tableAt = (path: readonly string[]): TomlValue => ({ path: [...path, ''], text: '', items: [] })

/** Reads `a."b".c`. */
function keysAt(cursor: Cursor): string[] {
  const keys: string[] = []
  do {
    cursor.skip(space)
    keys.push(stringAt(cursor, false) ?? cursor.expect(/[\w-]+/y))
    cursor.skip(space)
  } while (cursor.take(/\./y) !== null)
  return keys
}

function valuesAt(cursor: Cursor, path: readonly string[]): TomlValue[] {
  if (cursor.take(/\{/y) !== null)
    return [tableAt(path), ...membersAt(cursor, /\}/y, () => pairAt(cursor, path)).flat()]
  if (cursor.take(/\[/y) !== null) {
    const members = membersAt(cursor, /\]/y, () => valuesAt(cursor, []))
    const items = members.flatMap((member) => member.flatMap(({ path: keys, text }) => (keys.length === 0 ? text : [])))
    return [
      { path, text: JSON.stringify(members.map((member) => member.map((each) => [each.path, each.text]))), items },
    ]
  }
  const text = stringAt(cursor, true) ?? cursor.expect(/[\w+.:-]+(?: \d[\w+.:-]*)?/y)
  return [{ path, text, items: [] }]
}

function membersAt<T>(cursor: Cursor, end: RegExp, member: () => T): T[] {
  const members: T[] = []
  for (cursor.skip(blank); cursor.take(end) === null; cursor.skip(blank)) {
    members.push(member())
    cursor.skip(blank)
    if (cursor.take(/,/y) !== null) continue
    cursor.expect(end)
    break
  }
  return members
}

function stringAt(cursor: Cursor, mayHaveLines: boolean): string | null {
  const long = mayHaveLines ? (cursor.take(/"""(?:[^\\]|\\[^])*?"""(?!")/y) ?? cursor.take(/'''[^]*?'''(?!')/y)) : null
  if (long !== null) return unescaped(long.slice(3, -3), long.startsWith('"'))
  const short = cursor.take(/"(?:[^"\\\n]|\\[^\n])*"/y) ?? cursor.take(/'[^'\n]*'/y)
  return short === null ? null : unescaped(short.slice(1, -1), short.startsWith('"'))
}

const unescaped = (text: string, hasEscapes: boolean): string =>
  hasEscapes
    ? text.replace(/\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([^]))/g, (_, four, eight, two, other) => {
        const code: unknown = four ?? eight ?? two
        if (typeof code !== 'string') return escapes[String(other)] ?? String(other)
        const point = Number.parseInt(code, 16)
        if (point > 0x10_ff_ff) throw new SyntaxError('there is no such character')
        return String.fromCodePoint(point)
      })
    : text

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', e: '\u001b' }

/** A place in a text. */
class Cursor {
  /** The number of the line, from 0; behind the last line break, that of the next line. */
  line = 0
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  take(sticky: RegExp): string | null {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)
    if (found === null) return null
    this.at += found[0].length
    this.line += found[0].split('\n').length - 1
    return found[0]
  }

  skip(sticky: RegExp): void {
    this.take(sticky)
  }

  expect(sticky: RegExp): string {
    const found = this.take(sticky)
    if (found === null) throw new SyntaxError(`the text cannot be read at ${this.at}`)
    return found
  }
}
