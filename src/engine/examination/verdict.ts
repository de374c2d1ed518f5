import type { Report } from '../../work/attempts/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { CheckResult } from '../../work/evidence/record.ts'
import { faultOfChecked } from '../../work/verdicts/judgement.ts'
import type { Workspace } from '../../workspaces/port.ts'

/** Larger files can only be compared by their hash. */
const maxQuotedBytes = 4_000_000

/**
 * Compares the files that a verdict names with the judged work. Their hashes are those of the place where evidence is
 * checked; the text is read where the verifier was, and counts only if it has the same hash.
 */
export async function faultOfVerdict(
  workspace: Workspace,
  { evidence }: Brief,
  { verdict }: Report,
  { outputs }: CheckResult,
): Promise<string | null> {
  if (verdict === undefined) return null
  const judged = new Map(outputs.map((output) => [output.path, output]))
  return faultOfChecked(verdict, evidence, async (path) => {
    const output = judged.get(path)
    if (output === undefined) return null
    const file = await workspace.read(path, maxQuotedBytes)
    const isText = file?.sha256 === output.sha256 && file.bytes <= maxQuotedBytes && !file.text.includes('\0')
    return { sha256: output.sha256, bytes: output.bytes, text: isText ? file.text : null }
  })
}
