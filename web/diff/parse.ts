import { unquoted } from './unquote.ts'

/** One file of a diff. */
export interface FileDiff {
  /** The current path; of a deleted file, the former path. */
  readonly path: string
  /** The former path of a renamed or copied file. */
  readonly from: string | null
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied'
  readonly binary: boolean
  /** `100644 → 100755`; null if the mode is unchanged. */
  readonly mode: { readonly from: string; readonly to: string } | null
  readonly added: number
  readonly removed: number
  readonly hunks: readonly Hunk[]
  /** The text of the diff ends in the middle of this file. */
  readonly cut: boolean
}

export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** The enclosing function or heading, as reported by git. */
  readonly section: string
  readonly lines: readonly DiffLine[]
}

export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed'
  readonly old: number | null
  readonly new: number | null
  readonly text: string
  /** The file ends here without a newline. */
  readonly open: boolean
}

/** Parses a unified diff as git prints it. Unknown lines are skipped: a partly understood diff is still readable. */
export function parseDiff(text: string): FileDiff[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const files: FileDiff[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (!line.startsWith('diff --')) {
      at += 1
      continue
    }
    const read = readFile(lines, at)
    files.push(read.file)
    at = read.end
  }
  return files
}

type Draft = { -readonly [Key in keyof FileDiff]: FileDiff[Key] }

function readFile(lines: readonly string[], start: number): { file: FileDiff; end: number } {
  const file: Draft = {
    path: pathOfHeader(lines[start] ?? ''),
    from: null,
    status: 'modified',
    binary: false,
    mode: null,
    added: 0,
    removed: 0,
    hunks: [],
    cut: false,
  }
  const hunks: Hunk[] = []
  let at = start + 1
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (line.startsWith('diff --')) break
    if (line.startsWith('GIT binary patch')) {
      file.binary = true
      at = endOfPatch(lines, at) - 1
      continue
    }
    const numbers = hunkHeader.exec(line)
    if (numbers === null) {
      readHeader(file, line)
      continue
    }
    const read = readHunk(lines, at, numbers)
    hunks.push(read.hunk)
    for (const { kind } of read.hunk.lines) {
      if (kind === 'added') file.added += 1
      if (kind === 'removed') file.removed += 1
    }
    file.cut ||= read.cut
    at = read.end - 1
  }
  return { file: { ...file, hunks }, end: at }
}

/** Reads one header line between `diff --git` and the first hunk. */
function readHeader(file: Draft, line: string): void {
  const [, name = '', value = ''] = headers.exec(line) ?? []
  switch (name) {
    case 'new file mode ':
      file.status = 'added'
      return
    case 'deleted file mode ':
      file.status = 'deleted'
      return
    case 'old mode ':
      file.mode = { from: value, to: value }
      return
    case 'new mode ':
      file.mode = { from: file.mode?.from ?? '', to: value }
      return
    case 'rename from ':
    case 'copy from ':
      file.status = name === 'rename from ' ? 'renamed' : 'copied'
      file.from = unquoted(value)
      return
    case 'rename to ':
    case 'copy to ':
      file.path = unquoted(value)
      return
    case 'Binary files ':
      file.binary = true
      return
    case '--- ':
    case '+++ ': {
      const path = pathOfMark(value)
      if (path !== null && file.from === null) file.path = path
    }
  }
}

const headers =
  /^(new file mode |deleted file mode |old mode |new mode |rename from |rename to |copy from |copy to |Binary files |--- |\+\+\+ )(.*)$/s

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s

/** Reads a hunk by its own line counts: a removed line that reads `-- a/file` would otherwise look like the next file. */
function readHunk(
  lines: readonly string[],
  start: number,
  [, oldStart = '0', oldCount = '1', newStart = '0', newCount = '1', section = '']: RegExpExecArray,
): { hunk: Hunk; end: number; cut: boolean } {
  const found: DiffLine[] = []
  let [old, now] = [Number(oldStart), Number(newStart)]
  let [oldLeft, newLeft] = [Number(oldCount), Number(newCount)]
  let at = start + 1
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const last = found.at(-1)
    if (line.startsWith('\\') && last !== undefined) {
      found[found.length - 1] = { ...last, open: true }
      continue
    }
    if (oldLeft <= 0 && newLeft <= 0) break
    const [sign, text] = [line[0] ?? ' ', line.slice(1)]
    if (sign === '+') {
      found.push({ kind: 'added', old: null, new: now++, text, open: false })
      newLeft -= 1
    } else if (sign === '-') {
      found.push({ kind: 'removed', old: old++, new: null, text, open: false })
      oldLeft -= 1
    } else if (sign === ' ') {
      found.push({ kind: 'context', old: old++, new: now++, text, open: false })
      oldLeft -= 1
      newLeft -= 1
    } else break
  }
  const hunk = {
    oldStart: Number(oldStart),
    oldLines: Number(oldCount),
    newStart: Number(newStart),
    newLines: Number(newCount),
    section,
    lines: found,
  }
  return { hunk, end: at, cut: oldLeft > 0 || newLeft > 0 }
}

/** Skips a binary patch: Base85 text is of no use to a reader. */
function endOfPatch(lines: readonly string[], start: number): number {
  let at = start + 1
  while (at < lines.length && !(lines[at] ?? '').startsWith('diff --')) at += 1
  return at
}

/** Reads the path of `--- a/name`, which ends with a tab if the name has a space; `/dev/null` is not a path. */
function pathOfMark(value: string): string | null {
  const name = unquoted(value.replace(/\t[^\t]*$/s, ''))
  return name === '/dev/null' ? null : withoutPrefix(name)
}

/**
 * Reads the path of `diff --git a/x b/x`, the only line with the path of an empty or binary file. Both names are the same
 * there, so the middle is known even if the name contains ` b/`.
 */
function pathOfHeader(line: string): string {
  const names = line.replace(/^diff --(?:git|cc|combined) /, '')
  const quoted = /^"(?:[^"\\]|\\.)*" ("(?:[^"\\]|\\.)*")$/s.exec(names)
  if (quoted !== null) return withoutPrefix(unquoted(quoted[1] ?? ''))
  const half = (names.length - 1) / 2
  const [first, second] = [names.slice(0, half), names.slice(half + 1)]
  if (Number.isInteger(half) && withoutPrefix(first) === withoutPrefix(second)) return withoutPrefix(second)
  const tail = / ("b\/(?:[^"\\]|\\.)*"|b\/.*)$/s.exec(names)
  return withoutPrefix(unquoted(tail?.[1] ?? names))
}

const withoutPrefix = (name: string): string => name.replace(/^[abciow]\//, '')
