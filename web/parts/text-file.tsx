import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { RichText } from './rich-text.tsx'
import { Failure, Skeleton } from './notices.tsx'
import { size } from '../text.ts'

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
        (file.data.trim() === '' ? <p className="muted">Nothing is written here.</p> : <RichText text={file.data} />)}
      {children}
    </section>
  )
}
