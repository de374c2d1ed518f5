import { type UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { createLater } from '../parts/code.tsx'
import { Failure, Skeleton } from '../parts/views.tsx'
import { size } from '../text.ts'

const Markdown = createLater({ name: 'The text' }, async () => (await import('./markdown.tsx')).Markdown)

/** Longer than this, making elements of it would stop the page for seconds. */
const most = 100_000

/** A file of Markdown, as it is now. */
export function TextFile({
  file,
  name,
  children,
}: {
  file: UseQueryResult<string>
  name: string
  children?: ReactNode
}) {
  return (
    <section className="part text-file" aria-label={name}>
      <div className="head">
        <h2>{name}</h2>
        {file.data !== undefined && <span className="muted figure">{size(new Blob([file.data]).size)}</span>}
      </div>
      {file.isPending && <Skeleton lines={6} label={name} />}
      {file.isError && file.data === undefined && (
        <Failure error={file.error} retry={() => void file.refetch()} what={name} />
      )}
      {file.data !== undefined &&
        (file.data.trim() === '' ? <p className="muted">Nothing is written here.</p> : <Text text={file.data} />)}
      {children}
    </section>
  )
}

function Text({ text }: { text: string }) {
  if (text.length <= most) return <Markdown text={text} />
  return (
    <>
      <p className="muted">Too long to be formatted; shown as it is written.</p>
      <pre className="plain-text" tabIndex={0} role="region" aria-label="The text">
        {text}
      </pre>
    </>
  )
}
