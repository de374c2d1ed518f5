import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { size } from '../text.ts'
import { Failure, Skeleton } from './notices.tsx'
import { RichText } from './rich-text.tsx'

/** Shows a Markdown file in its current version. */
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
        <Failure error={file.error} retry={() => void file.refetch()} name={name} />
      )}
      {file.data !== undefined &&
        (file.data.trim() === '' ? <p className="muted">This file is empty.</p> : <RichText text={file.data} />)}
      {children}
    </section>
  )
}
