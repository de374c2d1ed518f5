import { useQuery } from '@tanstack/react-query'

import { workspaceOperations } from '../../src/work/mission-workspaces/contract.ts'
import { call } from '../client.ts'
import { maxBytes, wholeFile } from '../files/content.ts'
import { Download } from '../files/download.tsx'
import { FileContent } from '../files/file-content.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { size } from '../text.ts'
import { fileQuery } from './queries.ts'

/** Shows one file of a workspace: text with numbered lines, an image, or a note that it is binary. */
export function FileView({ missionId, path }: { missionId: string; path: string }) {
  const first = useQuery(fileQuery(missionId, path))
  const read = (from: number) => call(workspaceOperations.file, { missionId, path, from })
  return (
    <section className="file" aria-label={path}>
      <header className="facts view-bar">
        <h2 className="diff-path">
          <VisibleText text={path} />
        </h2>
        {first.data !== undefined && (
          <>
            <span className="muted figure">{size(first.data.bytes)}</span>
            <Download
              path={path}
              bytes={first.data.bytes}
              most={maxBytes}
              command={`agency workspace cat ${missionId} ${path}`}
              fetchAll={() => wholeFile(read)}
            />
          </>
        )}
        <button type="button" disabled={first.isFetching} onClick={() => void first.refetch()}>
          Reload
        </button>
      </header>
      {first.isPending && <Skeleton lines={8} label="the file" />}
      {first.isError && first.data === undefined && (
        <Failure error={first.error} retry={() => void first.refetch()} name="The file" />
      )}
      {first.data !== undefined && (
        <FileContent key={`${path} ${first.dataUpdatedAt}`} first={first.data} read={read} />
      )}
    </section>
  )
}
