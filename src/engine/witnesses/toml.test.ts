import { describe, expect, it } from 'vitest'

import { readToml } from './toml.ts'

const values = (text: string): Record<string, string> | null => {
  const statements = readToml(text)
  if (statements === null) return null
  const all = statements.flatMap((each) => each.values)
  return Object.fromEntries(
    all.filter(({ path }) => path.at(-1) !== '').map(({ path, text: value }) => [path.join('|'), value]),
  )
}

describe('a TOML text', () => {
  it.each<[string, string]>([
    ['a heading', '[tool.pytest]\nopts = "x"'],
    ['an indented heading', '[project]\n  [tool.pytest] # here\n  opts = "x"\n'],
    ['a heading with spaces', '[ tool . pytest ]\r\nopts="x"\r\n'],
    ['a quoted heading', `[tool."pyt\\u0065st"]\n'opts' = 'x'`],
    ['dotted keys', '[tool]\npytest.opts = """x"""'],
    ['dotted keys at the top', 'tool."pytest".opts = "x"'],
    ['an inline table', 'tool = { pytest = { opts = "x" } }'],
    ['an inline table over lines', "tool.pytest = {\n  # why\n  opts = '''x''',\n}"],
  ])('is read with %s', (_, text) => {
    expect(values(text)).toEqual({ 'tool|pytest|opts': 'x' })
  })

  it('keeps the lines of values over several lines, and the strings of a list', () => {
    const text = 'a = [\n  "x", # [b]\n  "y",\n]\nb = """\n[c]\n"""\nd = 1979-05-27 07:32:00\n'
    const statements = readToml(text) ?? []
    expect(statements.map(({ from, to }) => [from, to])).toEqual([
      [0, 4],
      [4, 7],
      [7, Infinity],
    ])
    expect(statements[0]?.values[0]?.items).toEqual(['x', 'y'])
    expect(values(text)).toMatchObject({ d: '1979-05-27 07:32:00' })
  })

  it('is refused if it is not TOML, or has a key twice', () => {
    for (const text of [
      '[a',
      'a = ',
      'a = "b',
      '[a]\n[a]',
      'a = 1\na = 2',
      'a = 1 b = 2',
      'a',
      `a = ${'['.repeat(1e5)}`,
    ])
      expect(readToml(text), text.slice(0, 20)).toBeNull()
    expect(readToml('[[a]]\nb = 1\n[[a]]\nb = 2\n')).toHaveLength(4)
    expect(readToml('')).toEqual([])
  })
})
