import { useQuery } from '@tanstack/react-query'

import { Counts } from '../diff/counts.tsx'
import { addresses, Link } from '../router.tsx'
import { counted, figure } from '../text.ts'
import { CheckCount } from './checks.tsx'
import { pullRequestQuery } from './queries.ts'

const maxFiles = 5

/** Shows the changes that a merge gate would let through, in the summary of its card. */
export function MergeSummary({ runId }: { runId: string }) {
  const found = useQuery(pullRequestQuery(runId)).data
  if (found === undefined) return null
  const { diffstat, files, checks, source, target } = found
  return (
    <>
      <div>
        <dt>Merge</dt>
        <dd className="branches">
          <code>{source}</code> <span className="muted">into</span> <code>{target}</code>
        </dd>
      </div>
      <div>
        <dt>Changes</dt>
        <dd>
          {counted(diffstat.files, 'file')} <Counts added={diffstat.added} removed={diffstat.removed} />{' '}
          <Link to={addresses.changes(runId)}>Read the diff</Link>
          <ul className="plain stat">
            {files.slice(0, maxFiles).map((file) => (
              <li key={file.path}>
                {file.binary ? (
                  <span className="muted">binary</span>
                ) : (
                  <Counts added={file.added} removed={file.removed} />
                )}
                <code className="cut">{file.path}</code>
              </li>
            ))}
            {files.length > maxFiles && <li className="muted">and {figure(files.length - maxFiles)} more</li>}
          </ul>
        </dd>
      </div>
      <div>
        <dt>Checks</dt>
        <dd>
          <CheckCount checks={checks} />
        </dd>
      </div>
    </>
  )
}
