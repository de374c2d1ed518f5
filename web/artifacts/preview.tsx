import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { FileBeginning, FileContent } from '../files/file-content.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { RichText } from '../parts/rich-text.tsx'
import { size } from '../text.ts'
import { formatted, isMarkdown, readPart } from './content.ts'
import { ArtifactLink } from './link.tsx'
import { artifactQuery } from './queries.ts'

/** Shows the beginning of an artifact inside another view; all of it on request. */
export function ArtifactPreview({ artifactId, lines = 40 }: { artifactId: string; lines?: number }) {
  const [isWhole, setWhole] = useState(false)
  const found = useQuery(artifactQuery(artifactId, isWhole ? undefined : lines))
  if (found.data === undefined)
    return found.isError ? (
      <Failure error={found.error} retry={() => void found.refetch()} name="The file" />
    ) : (
      <Skeleton lines={4} label="the file" />
    )
  const { name, version, bytes, isDocument, part, problem } = found.data
  const shown = part !== null && isDocument ? formatted(part) : part
  return (
    <section className="artifact" aria-label={name}>
      <p className="facts artifact-bar">
        <ArtifactLink artifact={found.data} />
        <span className="muted figure">{size(bytes)}</span>
        {version > 1 && <span className="muted">version {version}</span>}
      </p>
      {shown === null ? (
        <p className="none muted">The file cannot be read: {problem}.</p>
      ) : shown.encoding === 'utf8' && isMarkdown(name) ? (
        <RichText text={shown.content} />
      ) : isWhole ? (
        <div className="artifact-whole">
          <FileContent first={shown} read={(from) => readPart(artifactId, from)} />
        </div>
      ) : (
        <FileBeginning part={shown} />
      )}
      {part?.encoding === 'utf8' && part.next !== null && !isWhole && (
        <p className="facts">
          <button type="button" onClick={() => setWhole(true)}>
            Show all
          </button>
          <span className="muted">
            Showing the first {size(part.next)} of {size(bytes)}.
          </span>
        </p>
      )}
    </section>
  )
}
