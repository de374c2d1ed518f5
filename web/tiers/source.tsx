import { ArtifactLink } from '../artifacts/link.tsx'
import { Disclosure } from '../parts/disclosure.tsx'
import { Hash } from '../parts/hash.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { size } from '../text.ts'
import type { ParsedDocument } from './documents.ts'

/** Shows the origin of a document, and its unformatted JSON on request. */
export function Source({ of: { artifact, content } }: { of: ParsedDocument<unknown> }) {
  return (
    <div className="source">
      <p className="facts muted">
        <ArtifactLink artifact={artifact} />
        <span>version {artifact.version}</span>
        {artifact.briefId === null ? (
          <span>by {artifact.author}</span>
        ) : (
          <Link to={addresses.brief(artifact.runId, artifact.briefId)}>author</Link>
        )}
        <Ago at={artifact.at} />
        <Hash sha256={artifact.sha256} />
      </p>
      {content === null && (
        <p className="tone-bad">The document does not match its schema and is shown as it was written.</p>
      )}
      <Disclosure summary={`As JSON, ${size(artifact.bytes)}`} open={content === null}>
        {() => (
          <pre tabIndex={0} role="region" aria-label={`${artifact.name} as JSON`}>
            {pretty(artifact.content ?? '')}
          </pre>
        )}
      </Disclosure>
    </div>
  )
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
