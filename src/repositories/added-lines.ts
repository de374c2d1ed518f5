import { plainDiff } from './changes.ts'
import { type Git, gitError } from './git.ts'
import { revisionsOf } from './refs.ts'

export interface AddedLines {
  readonly texts: readonly AddedText[]
  /** Whether the list was cut at the limit; it holds the beginning. */
  readonly cut: boolean
}

/** Lines that a commit adds to a file, starting at `line`, or a text of the commit itself (`path` null). */
export interface AddedText {
  readonly commit: string
  readonly path: string | null
  /** The part of the commit; the names are those of its changed files, the headers those that git does not show. */
  readonly of: 'file' | 'message' | 'author' | 'names' | 'headers'
  readonly line: number
  readonly text: string
}

/**
 * Lists all lines added between two commits, also those that a later commit removed: all of them become part of the
 * history. Files are read as text regardless of a tree's attributes, because an agent writes those.
 */
export async function addedLines(
  git: Git,
  mirror: string,
  from: string,
  to: string,
  { maxBytes = 32 * 1024 ** 2, known = [] }: { maxBytes?: number; known?: readonly string[] } = {},
): Promise<AddedLines> {
  const diff = ['-p', '-m', '--text', '--unified=0', '--src-prefix=a/', '--dst-prefix=b/', ...plainDiff]
  const args = ['log', '--stdin', '--format=%x00%H %P%n%an <%ae>%n%cn <%ce>%n%B%x00', '--no-notes', ...diff]
  const input = revisionsOf(to, [from, ...known])
  const settings = [['core.quotePath', 'false']] as const
  const result = await git.run(args, { gitDir: mirror, input, maxOutputBytes: maxBytes, mayCut: true, settings })
  if (result.exitCode !== 0) throw gitError(args, result)
  const headers = await otherHeaders(git, mirror, input, maxBytes)
  return { texts: [...readAdded(result.stdout), ...headers.texts], cut: result.cut || headers.cut }
}

/**
 * Lists the headers of commits beyond the usual ones: signatures, and whatever else an agent has written there. They are
 * part of the history as well, and no log shows them.
 */
async function otherHeaders(git: Git, mirror: string, input: string, maxBytes: number): Promise<AddedLines> {
  const args = ['log', '--stdin', '-z', '--format=raw', '--no-notes', '--no-patch']
  const result = await git.run(args, { gitDir: mirror, input, maxOutputBytes: maxBytes, mayCut: true })
  if (result.exitCode !== 0) throw gitError(args, result)
  const commits = result.stdout.toString('latin1').split('\0')
  return { texts: commits.flatMap(headersOf), cut: result.cut }
}

function headersOf(raw: string): AddedText[] {
  const [first = '', ...headers] = raw.split('\n\n', 1)[0]?.split('\n') ?? []
  const others = headers.filter((line) => !/^(?:tree|parent|author|committer) /.test(line))
  if (others.length === 0) return []
  return [{ commit: first.split(' ')[1] ?? '', path: null, of: 'headers', line: 1, text: textOf(others) }]
}

/** A commit compared with one of its parents. */
interface Compared {
  readonly commit: string
  readonly parents: number
  /** Its message and its author. */
  readonly about: AddedText[]
  /** The names of its changed files, as git writes them: also those of empty and of moved files. */
  readonly names: string[]
  readonly parts: AddedText[]
}

/** Parses the log. Hunks state their length, so no line of a file can be mistaken for a heading. */
function readAdded(log: Buffer): AddedText[] {
  const lines = log.toString('latin1').split('\n')
  const compared: Compared[] = []
  let path: string | null = null
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (line.startsWith('\0')) {
      const end = lines.indexOf('\0', index + 1)
      const [id = '', ...parents] = line.slice(1).split(' ').filter(Boolean)
      const header = lines.slice(index + 1, end < 0 ? undefined : end)
      const about = (of: 'message' | 'author', part: readonly string[]): AddedText => ({
        commit: id,
        path: null,
        of,
        line: 1,
        text: textOf(part),
      })
      const texts = [about('message', header.slice(2)), about('author', header.slice(0, 2))]
      compared.push({ commit: id, parents: parents.length, about: texts, names: [], parts: [] })
      path = null
      if (end < 0) break
      index = end
    } else if (line.startsWith('diff --git ')) {
      compared.at(-1)?.names.push(line.slice(11))
    } else if (line.startsWith('+++ ')) {
      path = pathOf(line.slice(4))
    } else if (line.startsWith('@@ ')) {
      const [, removed = '1', from = '1', count = '1'] = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
      const hunk = hunkAt(lines, index + 1, Number(removed), Number(count))
      const last = compared.at(-1)
      if (hunk.added.length > 0)
        last?.parts.push({ commit: last.commit, path, of: 'file', line: Number(from), text: textOf(hunk.added) })
      index = hunk.end - 1
    }
  }
  for (const { commit, names, parts } of compared)
    if (names.length > 0) parts.unshift({ commit, path: null, of: 'names', line: 1, text: textOf(names) })
  return [...Map.groupBy(compared, ({ commit }) => commit).values()].flatMap(newInMerge)
}

/** A merge commit adds the lines that none of its parents has; lines of a parent were listed with that parent. */
function newInMerge(compared: readonly Compared[]): AddedText[] {
  const [first, ...others] = compared as [Compared, ...Compared[]]
  if (first.parents < 2) return [...first.about, ...first.parts]
  // Git omits a parent that is identical to the merge.
  if (compared.length < first.parents) return first.about
  const added = others.map(({ parts }) => new Set(parts.flatMap(linesOf).map(({ text, path }) => `${path}\0${text}`)))
  const own = first.parts
    .flatMap(linesOf)
    .filter(({ path, text }) => added.every((lines) => lines.has(`${path}\0${text}`)))
  return [...first.about, ...joinNeighbours(own)]
}

const linesOf = ({ text, line, ...source }: AddedText): AddedText[] =>
  text.split('\n').map((each, index) => ({ ...source, line: line + index, text: each }))

/** Joins neighbouring lines into one text again: a key may span several lines. */
function joinNeighbours(lines: readonly AddedText[]): AddedText[] {
  const joined: (Omit<AddedText, 'text'> & { lines: string[] })[] = []
  for (const { text, ...source } of lines) {
    const last = joined.at(-1)
    if (
      last !== undefined &&
      last.path === source.path &&
      last.of === source.of &&
      last.line + last.lines.length === source.line
    )
      last.lines.push(text)
    else joined.push({ ...source, lines: [text] })
  }
  return joined.map(({ lines: texts, ...source }) => ({ ...source, text: texts.join('\n') }))
}

/**
 * Reads a hunk: first the removed lines, then the added ones; each group may be followed by a note that the file ends
 * without a newline.
 */
function hunkAt(lines: readonly string[], start: number, removed: number, added: number) {
  const note = (at: number): number => (lines[at]?.startsWith('\\') === true ? 1 : 0)
  const afterRemoved = start + removed + note(start + removed)
  const afterAdded = afterRemoved + added
  return {
    added: lines.slice(afterRemoved, afterAdded).map((line) => line.slice(1)),
    end: afterAdded + note(afterAdded),
  }
}

const textOf = (lines: readonly string[]): string => Buffer.from(lines.join('\n'), 'latin1').toString('utf8')

function pathOf(name: string): string {
  // Git appends a tab to a name with a space, so that old programs find its end.
  const plain = name.startsWith('"') ? unquoted(name.slice(1, name.lastIndexOf('"'))) : name.replace(/\t$/, '')
  return Buffer.from(plain.replace(/^b\//, ''), 'latin1').toString('utf8')
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
}

const unquoted = (text: string): string =>
  text.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code),
  )
