import { shorten } from '../../kernel/text.ts'
import type { EvidenceOf } from '../../work/evidence/contract.ts'
import { isOurs } from '../../workspaces/path.ts'
import type { Workspace } from '../../workspaces/port.ts'
import { reportedInstead } from './absent.ts'
import { type Found, type Scene, seen } from './finding.ts'
import type { Output } from '../../work/evidence/record.ts'

/**
 * Divides the reported files into those that exist and those that do not. A link is none: it may lead to a file that
 * proves nothing, such as the report itself; nor is anything in Agency's own directory.
 */
export async function findOutputs(
  reported: readonly string[],
  workspace: Workspace,
): Promise<{ outputs: Output[]; missing: string[] }> {
  const outputs: Output[] = []
  const missing: string[] = []
  for (const path of new Set(reported)) {
    const file = isOurs(path) ? null : await workspace.read(path, 0)
    if (file === null || file.linksTo !== undefined) missing.push(path)
    else outputs.push({ path, sha256: file.sha256, bytes: file.bytes })
  }
  return { outputs, missing }
}

export function checkOutputs(evidence: EvidenceOf<'artifact'>, scene: Scene): Found {
  if (evidence.path !== undefined) {
    const output = scene.outputs.find((each) => each.path === evidence.path)
    if (output !== undefined) return seen(true, `${output.path}, ${output.bytes} bytes`, { sha256: output.sha256 })
    return seen(
      false,
      scene.missing.includes(evidence.path)
        ? `${evidence.path} was reported but is missing`
        : reportedInstead(`${evidence.path} was not reported as an output`, scene.outputs),
    )
  }
  if (scene.missing.length > 0) return seen(false, `reported but missing: ${shorten(scene.missing.join(', '), 300)}`)
  const first = scene.outputs[0]
  if (first === undefined) return seen(false, 'the report names no output')
  const count = scene.outputs.length
  return seen(true, count === 1 ? `${first.path}, ${first.bytes} bytes` : `${count} outputs`, {
    sha256: count === 1 ? first.sha256 : null,
  })
}
