import type { ResultFile, RunResult } from '../../src/work/run-results/contract.ts'
import { ArtifactPreview } from '../artifacts/preview.tsx'
import { Counts } from '../diff/counts.tsx'
import { Disclosure } from '../parts/disclosure.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { addresses, Link } from '../router.tsx'
import { counted, figure, size } from '../text.ts'

type Files = Pick<RunResult, 'run' | 'files' | 'filesTotal' | 'diff' | 'diffFault' | 'next' | 'claims'>

/** Lists the files of a result with the size of their changes. Each opens in place; a few are open from the start. */
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
            {file.artifactId === null ? (
              <FileLine file={file} />
            ) : (
              <Kept file={file} artifactId={file.artifactId} isOpen={files.length <= mostOpen} />
            )}
          </li>
        ))}
      </ul>
      {filesTotal > files.length && <p className="muted">and {figure(filesTotal - files.length)} more</p>}
    </section>
  )
}

/** More files than this would push the proofs out of sight. */
const mostOpen = 3

const Kept = ({ file, artifactId, isOpen }: { file: ResultFile; artifactId: string; isOpen: boolean }) => (
  <Disclosure summary={<FileLine file={file} />} open={isOpen}>
    {() => <ArtifactPreview artifactId={artifactId} />}
  </Disclosure>
)

const FileLine = ({ file }: { file: ResultFile }) => (
  <span className="facts file-line">
    <code>
      <VisibleText text={file.path} />
    </code>
    <Change file={file} />
  </span>
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
