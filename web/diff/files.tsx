import { useEffect, useRef, useState } from 'react'

import { counted, figure } from '../text.ts'
import { Counts } from './counts.tsx'
import type { ChangedFile } from './rows.ts'

/** Lists the files by folder: beside the lines on a wide screen, closed above them on a narrow one. */
export function FileList({
  files,
  current,
  open,
  onChoose,
}: {
  files: readonly ChangedFile[]
  current: number
  /** Whether the list starts open. */
  open: boolean
  onChoose: (index: number) => void
}) {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const found = files
    .map((file, index) => ({ file, index }))
    .filter(({ file }) => file.path.toLowerCase().includes(wanted))
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <details className="diff-files" open={open}>
      <summary>{counted(files.length, 'file')}</summary>
      {files.length > searchable && (
        <input
          type="search"
          aria-label="Filter files by path"
          placeholder="Filter"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <ul ref={list} className="plain">
        {found.slice(0, most).map(({ file, index }, at) => {
          const [folder, name] = splitPath(file.path)
          const isNew = at === 0 || splitPath(found[at - 1]?.file.path ?? '')[0] !== folder
          return (
            <li key={file.path}>
              {isNew && folder !== '' && <span className="folder cut muted">{folder}</span>}
              <button
                type="button"
                title={file.path}
                aria-current={index === current ? 'true' : undefined}
                onClick={() => onChoose(index)}
              >
                <span className="cut">{name}</span>
                <Counts added={file.added} removed={file.removed} />
              </button>
            </li>
          )
        })}
      </ul>
      {found.length > most && <p className="muted">and {figure(found.length - most)} more</p>}
      {found.length === 0 && <p className="muted">No file matches the filter.</p>}
    </details>
  )
}

const searchable = 12
const most = 1_000

const splitPath = (path: string): [folder: string, name: string] => {
  const at = path.lastIndexOf('/') + 1
  return [path.slice(0, at), path.slice(at)]
}
