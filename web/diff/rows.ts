import type { DiffLine, FileDiff, Hunk } from './parse.ts'

/** One drawn row of a diff. */
export type Row =
  | { readonly kind: 'file'; readonly key: string; readonly file: ChangedFile; readonly index: number }
  | { readonly kind: 'hunk'; readonly key: string; readonly hunk: Hunk }
  | { readonly kind: 'line'; readonly key: string; readonly line: DiffLine }
  | { readonly kind: 'note'; readonly key: string; readonly file: ChangedFile; readonly note: Note }

export type Note = 'binary' | 'empty' | 'mode' | 'moved' | 'large' | 'cut' | 'absent' | 'loading'

/** A file of the diff, or one that is only in the list of changed files because the diff was cut before it. */
export interface ChangedFile {
  readonly path: string
  readonly from: string | null
  readonly status: FileDiff['status'] | 'type_changed'
  readonly added: number
  readonly removed: number
  readonly binary: boolean
  readonly diff: FileDiff | null
}

interface FileSummary {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed' | 'type_changed'
  readonly added: number
  readonly removed: number
  readonly binary: boolean
}

/** A file with more changed lines starts closed: so many lines are read only on purpose. */
export const large = 1_500

/** Returns every file once: those of the diff in its order, then those that only the list has. */
export function changedFiles(diffs: readonly FileDiff[], listed: readonly FileSummary[]): ChangedFile[] {
  const known = new Map(diffs.map((diff) => [diff.path, diff]))
  const counts = new Map(listed.map((file) => [file.path, file]))
  return [
    ...[...known.values()].map((diff) => {
      // The list counts the lines of the whole file, even if the diff was cut in the middle of it.
      const whole = counts.get(diff.path)
      const { path, from, status, binary } = diff
      const { added, removed } = diff.cut && whole !== undefined ? whole : diff
      return { path, from, status, binary, added, removed, diff }
    }),
    ...listed.filter(({ path }) => !known.has(path)).map((file) => ({ ...file, from: null, diff: null })),
  ]
}

/** Returns the rows of all files, without the content of closed ones. */
export function rowsOf(
  files: readonly ChangedFile[],
  isOpen: (file: ChangedFile) => boolean,
  loading: ReadonlySet<string>,
): Row[] {
  const rows: Row[] = []
  files.forEach((file, index) => {
    rows.push({ kind: 'file', key: file.path, file, index })
    if (!isOpen(file)) return
    const notes = notesOf(file, loading)
    for (const note of notes) rows.push({ kind: 'note', key: `${file.path} ${note}`, file, note })
    file.diff?.hunks.forEach((hunk, at) => {
      rows.push({ kind: 'hunk', key: `${file.path} @${at}`, hunk })
      hunk.lines.forEach((line, number) => rows.push({ kind: 'line', key: `${file.path} @${at} ${number}`, line }))
    })
    if (file.diff?.cut === true)
      rows.push({ kind: 'note', key: `${file.path} cut`, file, note: loading.has(file.path) ? 'loading' : 'cut' })
  })
  return rows
}

/** Reports whether a file starts open. Large and generated files start closed. */
export const isOpenAtFirst = (file: ChangedFile): boolean =>
  file.added + file.removed <= large && !isGenerated(file.path)

const isGenerated = (path: string): boolean =>
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|poetry\.lock|uv\.lock|composer\.lock|Gemfile\.lock|go\.sum)$|\.min\.(js|css)$|\.map$/.test(
    path,
  )

function notesOf({ diff, path, binary, from }: ChangedFile, loading: ReadonlySet<string>): Note[] {
  if (diff === null) return [loading.has(path) ? 'loading' : 'absent']
  const notes: Note[] = []
  if (binary) notes.push('binary')
  if (diff.mode !== null) notes.push('mode')
  if (diff.hunks.length > 0 || notes.length > 0) return notes
  return [from === null ? 'empty' : 'moved']
}
