import type { Evidence } from '../../work/evidence/contract.ts'
import type { Checkout, CheckoutRequest, Workspaces } from '../../workspaces/port.ts'

/**
 * Opens the place where files are looked at. A checkout of some directories lacks committed files that evidence names:
 * they get a checkout of their own, because in the first one they could change the setup and the commands.
 */
export async function openFiles(
  workspaces: Workspaces,
  request: CheckoutRequest,
  checkout: Checkout,
  { evidence, outputs }: { evidence: readonly Evidence[]; outputs: readonly string[] },
): Promise<Checkout> {
  const { id, source } = request
  if (source.kind !== 'commit' || source.paths === undefined) return checkout
  const paths = [...new Set([...evidence.flatMap(filesOf), ...outputs])].filter((path) => !path.includes('\n'))
  return paths.length === 0
    ? checkout
    : workspaces.checkout({ ...request, id: `${id}.files`, source: { ...source, paths } })
}

/** Returns the files that an item of evidence looks at. */
function filesOf(evidence: Evidence): string[] {
  const { kind } = evidence
  if (kind === 'file') return [evidence.path]
  if (kind === 'artifact') return evidence.path === undefined ? [] : [evidence.path]
  if (kind === 'schema') return [evidence.path, ...(evidence.schemaPath === undefined ? [] : [evidence.schemaPath])]
  return []
}
