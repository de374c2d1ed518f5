import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useMemo, useRef, useState } from 'react'

import type { FilePart } from '../../src/workspaces/file-part.contract.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { counted, size } from '../text.ts'
import { imageType, maxBytes } from './content.ts'

interface Shown {
  readonly first: FilePart
  /** Reads a further part. */
  readonly read: (from: number) => Promise<FilePart>
}

/** Shows the content of a file of an untrusted author: text with numbered lines, an image, or that it is binary. */
export const FileContent = ({ first, read }: Shown) =>
  first.encoding === 'utf8' ? <Text first={first} read={read} /> : <BinaryFile part={first} />

/** Shows the beginning of a file within a page that scrolls itself. */
export function FileBeginning({ part }: { part: FilePart }) {
  if (part.encoding === 'base64') return <BinaryFile part={part} />
  const lines = linesOf(part.content)
  if (lines.length === 0) return <Empty />
  return (
    <div
      className="file-beginning"
      tabIndex={0}
      role="region"
      aria-label={`${part.path}: ${counted(lines.length, 'line')}`}
    >
      {lines.map((line, index) => (
        <TextLine key={index} number={index + 1} text={line} />
      ))}
    </div>
  )
}

const Empty = () => <p className="none muted">This file is empty.</p>

function BinaryFile({ part }: { part: FilePart }) {
  const type = part.next === null ? imageType(part.content) : null
  if (type === null) return <p className="none muted">This is a binary file. Download it to open it.</p>
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Image">
      <img className="picture" alt={part.path} src={`data:${type};base64,${part.content}`} />
    </div>
  )
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Shows the loaded part of a text file; each request loads two megabytes. */
function Text({ first, read }: Shown) {
  const [parts, setParts] = useState<readonly FilePart[]>([first])
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const lines = useMemo(() => linesOf(parts.map((part) => part.content).join('')), [parts])
  const next = parts.at(-1)?.next ?? null
  const more = (from: number): void => {
    setBusy(true)
    read(from)
      .then((part) => {
        setError(null)
        setParts((was) => [...was, part])
      })
      .catch(setError)
      .finally(() => setBusy(false))
  }
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 20,
    overscan: 20,
  })
  if (lines.length === 0) return <Empty />
  return (
    <>
      <div
        ref={scroller}
        className="diff-lines"
        tabIndex={0}
        role="region"
        aria-label={`${first.path}: ${counted(lines.length, 'line')}`}
      >
        <div className="diff-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="diff-row"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <TextLine number={item.index + 1} text={lines[item.index] ?? ''} />
            </div>
          ))}
        </div>
      </div>
      {next !== null && (
        <p className="facts view-bar">
          <span className="muted">
            Showing the first {size(next)} of {size(first.bytes)}.
          </span>
          {next < maxBytes && (
            <button type="button" disabled={busy} onClick={() => more(next)}>
              {busy ? 'Loading' : 'Load more'}
            </button>
          )}
          {error !== null && <ErrorLine error={error} />}
        </p>
      )}
    </>
  )
}

const TextLine = memo(function TextLine({ number, text }: { number: number; text: string }) {
  return (
    <div className="diff-line">
      <span className="number">{number}</span>
      <span className="code">
        <VisibleText text={text} />
      </span>
    </div>
  )
})
