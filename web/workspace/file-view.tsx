import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useMemo, useRef, useState } from 'react'

import { workspaceOperations } from '../../src/work/mission-workspaces/contract.ts'
import { call } from '../client.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { counted, size } from '../text.ts'
import { download, type FilePart, imageType, maxBytes } from './content.ts'
import { fileQuery } from './queries.ts'

/** Shows one file of a workspace: text with numbered lines, an image, or a note that it is binary. */
export function FileView({ missionId, path }: { missionId: string; path: string }) {
  const first = useQuery(fileQuery(missionId, path))
  return (
    <section className="file" aria-label={path}>
      <header className="facts view-bar">
        <h2 className="diff-path">
          <VisibleText text={path} />
        </h2>
        {first.data !== undefined && <span className="muted figure">{size(first.data.bytes)}</span>}
        {first.data !== undefined && <Download missionId={missionId} path={path} bytes={first.data.bytes} />}
        <button type="button" disabled={first.isFetching} onClick={() => void first.refetch()}>
          Reload
        </button>
      </header>
      {first.isPending && <Skeleton lines={8} label="the file" />}
      {first.isError && first.data === undefined && (
        <Failure error={first.error} retry={() => void first.refetch()} name="The file" />
      )}
      {first.data !== undefined &&
        (first.data.encoding === 'utf8' ? (
          <Text key={`${path} ${first.dataUpdatedAt}`} missionId={missionId} first={first.data} />
        ) : (
          <BinaryFile part={first.data} />
        ))}
    </section>
  )
}

function Download({ missionId, path, bytes }: { missionId: string; path: string; bytes: number }) {
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  if (bytes > maxBytes)
    return (
      <span className="muted">
        too large to download; use{' '}
        <code>
          agency workspace cat {missionId} {path}
        </code>
      </span>
    )
  const start = (): void => {
    setBusy(true)
    setError(null)
    download(missionId, path)
      .catch(setError)
      .finally(() => setBusy(false))
  }
  return (
    <>
      <button type="button" disabled={busy} onClick={start}>
        {busy ? 'Downloading' : 'Download'}
      </button>
      {error !== null && <ErrorLine error={error} />}
    </>
  )
}

function BinaryFile({ part }: { part: FilePart }) {
  const type = part.next === null ? imageType(part.content) : null
  if (type === null) return <p className="none muted">This is a binary file. Download it to open it.</p>
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Image">
      <img className="picture" alt={part.path} src={`data:${type};base64,${part.content}`} />
    </div>
  )
}

/** Shows the loaded part of a text file; each request loads two megabytes. */
function Text({ missionId, first }: { missionId: string; first: FilePart }) {
  const [parts, setParts] = useState<readonly FilePart[]>([first])
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const lines = useMemo(() => {
    const all = parts
      .map((part) => part.content)
      .join('')
      .split('\n')
    if (all.at(-1) === '') all.pop()
    return all
  }, [parts])
  const next = parts.at(-1)?.next ?? null
  const more = (from: number): void => {
    setBusy(true)
    call(workspaceOperations.file, { missionId, path: first.path, from })
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
  if (lines.length === 0) return <p className="none muted">This file is empty.</p>
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
