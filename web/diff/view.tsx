import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, type ReactNode, useCallback, useMemo, useRef, useState } from 'react'

import type { Diff } from '../../src/work/pull-requests/contract.ts'
import { Chevron } from '../parts/chevron.tsx'
import { explain } from '../parts/notices.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { counted, figure } from '../text.ts'
import { Counts } from './counts.tsx'
import { FileList } from './files.tsx'
import { type FileDiff, parseDiff } from './parse.ts'
import { type ChangedFile, changedFiles, isOpenAtFirst, type Row, rowsOf } from './rows.ts'

export interface DiffProps {
  diff: Diff
  /** Names the subject of the diff. */
  label: string
  /** Content above the first file, which scrolls with it. */
  before?: ReactNode
  /** The diff shares the window with other content: the list of files starts closed. */
  compact?: boolean
  /** Loads one file completely if the whole diff was too long. */
  load: (path: string) => Promise<Diff>
}

const rowHeight = 20

/** Shows the changes file by file. Only visible rows are drawn, so a hundred thousand lines scroll like a hundred. */
export function DiffView({ diff, label, before, compact = false, load }: DiffProps) {
  const { files, loadFile, loading, failed } = useFiles(diff, load)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const isOpen = useCallback((file: ChangedFile) => isOpenAtFirst(file) !== toggled.has(file.path), [toggled])
  const rows = useMemo(() => rowsOf(files, isOpen, loading), [files, isOpen, loading])
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)

  const virtual = useVirtualizer({
    count: rows.length + 1,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (index === 0 ? 0 : rows[index - 1]?.kind === 'file' ? 37 : rowHeight),
    getItemKey: (index) => (index === 0 ? 'before' : (rows[index - 1]?.key ?? index)),
    overscan: 20,
    // The content above stays mounted, and so keeps opened sections and entered text.
    rangeExtractor: (range) => [...new Set([0, ...defaultRangeExtractor(range)])],
  })

  const toggle = (file: ChangedFile): void => {
    setToggled((was) => {
      const next = new Set(was)
      if (!next.delete(file.path)) next.add(file.path)
      return next
    })
    if (file.diff === null && !isOpen(file)) loadFile(file.path)
  }
  const goTo = (index: number): void => {
    const file = files[index]
    if (file === undefined) return
    setCurrent(index)
    virtual.scrollToIndex(rows.findIndex((row) => row.kind === 'file' && row.index === index) + 1, { align: 'start' })
    if (!isOpen(file)) toggle(file)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    goTo(Math.min(files.length - 1, Math.max(0, current + step)))
  }
  const openAll = files.every(isOpen)
  const toggleAll = (): void =>
    setToggled(new Set(files.filter((file) => isOpenAtFirst(file) === openAll).map(({ path }) => path)))

  return (
    <div className="diff" onKeyDown={onKey}>
      {files.length > 1 && <FileList files={files} current={current} open={!compact && isWide()} onChoose={goTo} />}
      <div ref={scroller} className="diff-lines" tabIndex={0} role="region" aria-label={label}>
        <div className="diff-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index - 1]
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className="diff-row"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {item.index === 0 && (
                  <>
                    {before}
                    {failed !== null && (
                      <p role="alert" className="tone-bad diff-note">
                        {failed}
                      </p>
                    )}
                    <p className="facts diff-sum">
                      <span>
                        {counted(files.length, 'file')} <Counts {...sumOf(files)} />
                      </span>
                      {files.length > 1 && (
                        <>
                          <button type="button" onClick={toggleAll}>
                            {openAll ? 'Close all' : 'Open all'}
                          </button>
                          <span className="muted keys-hint">
                            <kbd>j</kbd> <kbd>k</kbd> next and previous file
                          </span>
                        </>
                      )}
                      {diff.cut && (
                        <span className="muted">the diff is too long to load at once; load files one by one</span>
                      )}
                    </p>
                  </>
                )}
                {row?.kind === 'file' && (
                  <FileHead
                    file={row.file}
                    open={isOpen(row.file)}
                    current={row.index === current}
                    onToggle={() => {
                      setCurrent(row.index)
                      toggle(row.file)
                    }}
                  />
                )}
                {row?.kind === 'note' && <NoteRow row={row} onLoad={() => loadFile(row.file.path)} />}
                {row?.kind === 'hunk' && <HunkRow row={row} />}
                {row?.kind === 'line' && <LineRow line={row.line} />}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

const isWide = (): boolean => window.matchMedia('(width >= 1100px)').matches

const steps: Readonly<Record<string, number>> = { j: 1, n: 1, k: -1, p: -1 }

const isField = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select')

/** Returns the files of the diff, including those that were loaded separately because the diff was too long. */
function useFiles(diff: Diff, load: DiffProps['load']) {
  const [more, setMore] = useState<ReadonlyMap<string, FileDiff>>(new Map())
  const [loading, setLoading] = useState<ReadonlySet<string>>(new Set())
  const [failed, setFailed] = useState<string | null>(null)
  const parsed = useMemo(() => parseDiff(diff.text), [diff.text])
  const files = useMemo(() => {
    const known = parsed.map((file) => more.get(file.path) ?? file)
    const beyond = [...more.values()].filter((file) => !parsed.some(({ path }) => path === file.path))
    return changedFiles([...known, ...beyond], diff.files)
  }, [parsed, more, diff.files])
  const loadFile = (path: string): void => {
    if (loading.has(path)) return
    setLoading((was) => new Set([...was, path]))
    load(path)
      .then((part) => {
        setFailed(null)
        const found = parseDiff(part.text).find((file) => file.path === path)
        if (found !== undefined) setMore((was) => new Map(was).set(path, found))
      })
      .catch((error: unknown) => setFailed(explain(error).cause))
      .finally(() => setLoading((was) => new Set([...was].filter((each) => each !== path))))
  }
  return { files, loadFile, loading, failed }
}

const sumOf = (files: readonly ChangedFile[]): { added: number; removed: number } => ({
  added: files.reduce((sum, file) => sum + file.added, 0),
  removed: files.reduce((sum, file) => sum + file.removed, 0),
})

const statusLabels: Record<ChangedFile['status'], string | null> = {
  added: 'new',
  modified: null,
  deleted: 'deleted',
  renamed: 'renamed',
  copied: 'copied',
  type_changed: 'type changed',
}

function FileHead({
  file,
  open,
  current,
  onToggle,
}: {
  file: ChangedFile
  open: boolean
  current: boolean
  onToggle: () => void
}) {
  const label = statusLabels[file.status]
  return (
    <h3 className="diff-file" data-current={current || undefined}>
      <button type="button" aria-expanded={open} onClick={onToggle}>
        <Chevron open={open} />
        <span className="diff-path">
          {file.from !== null && <span className="muted">{file.from} → </span>}
          <Path text={file.path} />
        </span>
        {label !== null && <span className="label">{label}</span>}
        <Counts added={file.added} removed={file.removed} />
      </button>
    </h3>
  )
}

const Path = ({ text }: { text: string }) => (
  <bdi>
    <VisibleText text={text} />
  </bdi>
)

function NoteRow({ row, onLoad }: { row: Extract<Row, { kind: 'note' }>; onLoad: () => void }) {
  const { file, note } = row
  return (
    <p className="diff-note muted">
      {note === 'binary' && 'Binary file: not shown.'}
      {note === 'empty' && 'No content to show.'}
      {note === 'moved' && 'Moved without changes.'}
      {note === 'mode' && `Mode ${file.diff?.mode?.from} → ${file.diff?.mode?.to}`}
      {note === 'loading' && 'Loading.'}
      {(note === 'cut' || note === 'absent') && (
        <>
          {note === 'cut' ? 'The rest of the file is not loaded. ' : 'The file is not loaded. '}
          <button type="button" onClick={onLoad}>
            Load {figure(file.added + file.removed)} changed lines
          </button>
        </>
      )}
    </p>
  )
}

const HunkRow = memo(function HunkRow({ row }: { row: Extract<Row, { kind: 'hunk' }> }) {
  const { oldStart, oldLines, newStart, newLines, section } = row.hunk
  return (
    <div className="diff-hunk">
      @@ -{oldStart},{oldLines} +{newStart},{newLines} @@ <VisibleText text={section} />
    </div>
  )
})

const signs = { added: '+', removed: '−', context: ' ' }

const LineRow = memo(function LineRow({ line }: { line: Extract<Row, { kind: 'line' }>['line'] }) {
  return (
    <div className={`diff-line ${line.kind}`}>
      <span className="number old">{line.old}</span>
      <span className="number">{line.new}</span>
      <span className="sign-of">{signs[line.kind]}</span>
      <span className="code">
        <VisibleText text={line.text} />
        {line.open && <i className="muted"> no newline at the end</i>}
      </span>
    </div>
  )
})
