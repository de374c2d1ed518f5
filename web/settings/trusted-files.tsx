import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { escapeHidden } from '../../src/kernel/escape-hidden.ts'
import { operations } from '../../src/operations/all.contract.ts'
import type { TrustedFileLine } from '../../src/work/trusted-files/contract.ts'
import { call } from '../client.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { Hash } from '../parts/hash.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { Ago } from '../parts/time.tsx'
import { keys, trustedFilesQuery } from '../queries.ts'
import { FileReview } from './file-review.tsx'

/** Lists the plans and team files that may start commands, and reviews another one. */
export function TrustedFiles() {
  const found = useQuery(trustedFilesQuery)
  if (found.isPending) return <Skeleton lines={2} label="the trusted files" />
  if (!found.data)
    return <Failure error={found.error} retry={() => void found.refetch()} name="The list of trusted files" />
  const { files } = found.data
  return (
    <>
      {files.length === 0 && <p>No plan or team file may start commands yet.</p>}
      <ul className="plain entries">
        {files.map((file) => (
          <Line key={file.hash} file={file} />
        ))}
      </ul>
      <FileReview />
      <p className="muted">
        A plan or a team file starts its commands only if exactly this text is trusted. In a terminal:{' '}
        <code>agency trust FILE</code>
      </p>
    </>
  )
}

function Line({ file }: { file: TrustedFileLine }) {
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => call(operations.trustedFile.revoke, { hash: file.hash }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.trustedFiles }),
  })
  const name = file.name === null ? `a ${file.kind} without a path` : escapeHidden(file.name)
  return (
    <li>
      <div className="grow">
        <p>{name}</p>
        <p className="facts muted">
          <span>{file.kind === 'plan' ? 'plan' : 'team file'}</span>
          <span>
            trusted <Ago at={file.trustedAt} />
          </span>
          <Hash sha256={file.hash} />
        </p>
        {revoke.isError && <ErrorLine error={revoke.error} />}
      </div>
      <button
        type="button"
        disabled={revoke.isPending}
        aria-label={`Trust ${name}, ${file.hash.slice(0, 12)}, no longer`}
        onClick={() => revoke.mutate()}
      >
        Trust no longer
      </button>
    </li>
  )
}
