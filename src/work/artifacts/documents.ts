import type { Artifact } from './contract.ts'

/** Returns the content of the newest version of each document of a run, by name. */
export function newestDocuments(artifacts: readonly Artifact[]): Record<string, unknown> {
  const newest = new Map<string, Artifact>()
  for (const artifact of artifacts) {
    const known = newest.get(artifact.name)
    if (artifact.content !== null && (known?.version ?? 0) < artifact.version) newest.set(artifact.name, artifact)
  }
  return Object.fromEntries(
    [...newest].map(([name, { content }]): [string, unknown] => [name, JSON.parse(content ?? 'null')]),
  )
}
