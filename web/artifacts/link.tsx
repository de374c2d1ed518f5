import type { Artifact } from '../../src/work/artifacts/contract.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { addresses, Link } from '../router.tsx'

/** The name of a file or a document that a run has produced, which leads to its content. */
export const ArtifactLink = ({ artifact }: { artifact: Pick<Artifact, 'id' | 'name'> }) => (
  <Link to={addresses.artifact(artifact.id)} className="artifact-link">
    <VisibleText text={artifact.name} />
  </Link>
)
