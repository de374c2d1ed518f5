import type { ResultFile, RunResult } from '../../src/work/run-results/contract.ts'
import { ArtifactLink } from '../artifacts/link.tsx'
import { Counts } from '../diff/counts.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { addresses, Link } from '../router.tsx'
import { counted, figure, size } from '../text.ts'

type Files = Pick<RunResult, 'run' | 'files' | 'filesTotal' | 'diff' | 'diffFault' | 'next' | 'claims'>

/** Lists the files of a result with the size of their changes. */
export function FileList({ result }: { result: Files }) {
  const { run, files, filesTotal, diff, diffFault, next, claims } = result
  return (
    <section className="part" aria-label="Files">
      <h3>Files</h3>
      <p className="facts">
        {diff === null ? (
          <span className="muted">
            {filesTotal === 0 ? 'No file was reported' : counted(filesTotal, 'file')}
            {next === null ? '' : ` by the first ${counted(claims.length, 'brief')}`}
          </span>
        ) : (
          <>
            <span>
              {counted(diff.files, 'changed file')} <Counts added={diff.added} removed={diff.removed} />
            </span>
            <Link to={addresses.changes(run.id)}>Read the diff</Link>
          </>
        )}
      </p>
      {diffFault !== null && <p className="tone-waiting">{diffFault}</p>}
      <ul className="plain result-files">
        {files.map((file, index) => (
          <li key={index}>
            <FileName file={file} />
            <Change file={file} />
          </li>
        ))}
      </ul>
      {filesTotal > files.length && <p className="muted">and {figure(filesTotal - files.length)} more</p>}
    </section>
  )
}

const FileName = ({ file: { artifactId, path } }: { file: ResultFile }) =>
  artifactId === null ? (
    <code>
      <VisibleText text={path} />
    </code>
  ) : (
    <ArtifactLink artifact={{ id: artifactId, name: path }} />
  )

function Change({ file: { change, bytes } }: { file: ResultFile }) {
  return (
    <span className="facts">
      {change !== null && change.status !== 'modified' && (
        <span className="label">{change.status.replace('_', ' ')}</span>
      )}
      {change !== null &&
        (change.binary ? (
          <span className="muted">binary</span>
        ) : (
          <Counts added={change.added} removed={change.removed} />
        ))}
      {bytes !== null && <span className="muted figure">{size(bytes)}</span>}
    </span>
  )
}
