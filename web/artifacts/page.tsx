import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import type { ArtifactView } from '../../src/work/artifacts/contract.ts'
import { fileNameOf } from '../files/content.ts'
import { Download } from '../files/download.tsx'
import { FileContent } from '../files/file-content.tsx'
import { Hash } from '../parts/hash.tsx'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { RichText } from '../parts/rich-text.tsx'
import { Ago } from '../parts/time.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { addresses, Link, navigate } from '../router.tsx'
import { size } from '../text.ts'
import { fetchFile, formatted, isMarkdown, maxDownload, readPart } from './content.ts'
import { artifactQuery } from './queries.ts'

/** Shows one version of a file or a document that a run has produced, as it was when its evidence was checked. */
export function ArtifactPage({ artifactId }: { artifactId: string }) {
  const found = useQuery(artifactQuery(artifactId))
  if (found.data === undefined)
    return (
      <>
        <Heading title="File" />
        {found.isPending && <Skeleton lines={10} label="the file" />}
        {found.isError && <Failure error={found.error} retry={() => void found.refetch()} name="The file" />}
      </>
    )
  return <Shown key={found.dataUpdatedAt} artifact={found.data} />
}

function Shown({ artifact }: { artifact: ArtifactView }) {
  const { id, name, part, isDocument, problem } = artifact
  const canFormat = part?.encoding === 'utf8' && part.next === null && (isMarkdown(name) || isDocument)
  const [isFormatted, setFormatted] = useState(true)
  const shown = part !== null && isDocument && isFormatted ? formatted(part) : part
  return (
    <>
      <header className="run-header">
        <div className="grow">
          <Heading title={fileNameOf(name)}>
            <VisibleText text={name} />
          </Heading>
          <Facts artifact={artifact} />
        </div>
        {canFormat && (
          <button type="button" aria-pressed={!isFormatted} onClick={() => setFormatted(!isFormatted)}>
            As written
          </button>
        )}
        {problem === null && (
          <Download
            path={artifact.path}
            bytes={artifact.bytes}
            most={maxDownload}
            command={commandOf(artifact)}
            fetchAll={() => fetchFile(id)}
          />
        )}
      </header>
      <div className="file artifact-page">
        {shown === null ? (
          <p className="none">This file cannot be read: {problem}. Its name, size and hash are what was checked.</p>
        ) : canFormat && isFormatted && isMarkdown(name) ? (
          <div className="scrolls artifact-text" tabIndex={0} role="region" aria-label={name}>
            <RichText text={shown.content} />
          </div>
        ) : (
          <FileContent key={String(isFormatted)} first={shown} read={(from) => readPart(id, from)} />
        )}
      </div>
    </>
  )
}

const commandOf = ({ runId, name, version }: ArtifactView): string =>
  `agency cat ${runId} '${name.replaceAll("'", `'\\''`)}' --version ${version}`

const places: Readonly<Record<NonNullable<ArtifactView['foundIn']>, string>> = {
  store: 'a document of the run',
  kept: 'as it was checked',
  workspace: 'read in its workspace, unchanged since its check',
}

function Facts({ artifact }: { artifact: ArtifactView }) {
  const { runId, briefId, briefTitle, author, version, versions, isAccepted, foundIn } = artifact
  return (
    <p className="facts">
      {versions.length > 1 ? (
        <select
          aria-label="Version"
          value={artifact.id}
          onChange={(event) => navigate(addresses.artifact(event.target.value), { replace: true })}
        >
          {versions.map((each) => (
            <option key={each.id} value={each.id}>
              version {each.version}
              {each.isAccepted ? '' : ' (not accepted)'}
            </option>
          ))}
        </select>
      ) : (
        <span className="muted">version {version}</span>
      )}
      <span className={isAccepted ? 'tone-good' : 'tone-waiting'}>{isAccepted ? 'accepted' : 'not accepted'}</span>
      <span className="figure">{size(artifact.bytes)}</span>
      <Hash sha256={artifact.sha256} />
      {briefId === null ? (
        <span className="muted">by {author}</span>
      ) : (
        <span>
          <span className="muted">made by</span>{' '}
          <Link to={addresses.brief(runId, briefId)}>{briefTitle ?? briefId}</Link>
        </span>
      )}
      <Link to={addresses.run(runId)}>Run</Link>
      <span className="muted">
        <Ago at={artifact.at} />
      </span>
      {foundIn !== null && <span className="muted">{places[foundIn]}</span>}
    </p>
  )
}
