import type { EvidenceOf } from '../../work/evidence/contract.ts'
import { type Found, keptOf, notRun, quoted, type Scene, searchedBytes, seen, Unchecked } from './finding.ts'

export async function checkCommand(evidence: EvidenceOf<'command'>, scene: Scene): Promise<Found> {
  if (!scene.mayRunCommands) return notRun()
  const result = await scene.workspace.run(evidence.run, {
    timeoutMs: evidence.timeoutSeconds * 1_000,
    maxOutputBytes: searchedBytes,
    searchFor: evidence.expectOutput,
    ...(scene.signal && { signal: scene.signal }),
  })
  const { outputSha256: sha256, boxed, cut, breach } = result
  const found = { ...keptOf(result), sha256, boxed }
  const remark = cut === undefined ? '' : ` (only a part of its ${megabytes(cut.bytes)} MB of output is kept)`
  // The signal alone would not tell its author what to mend.
  if (breach !== undefined) return seen(false, `killed, ${breach}${remark}`, found)
  if (result.timedOut) return seen(false, `still running after ${evidence.timeoutSeconds} s${remark}`, found)
  if (result.signal !== null) return seen(false, `killed by ${result.signal}${remark}`, found)
  if (result.exitCode === null)
    throw new Unchecked(`$ ${evidence.run} could not be run: ${found.end.split('\n').at(-1)}`)
  if (result.exitCode !== evidence.expectExit)
    return seen(false, `exit code ${result.exitCode}, expected ${evidence.expectExit}${remark}`, found)
  if (evidence.expectOutput !== undefined && result.contains !== true)
    return seen(false, `its output does not contain ${quoted(evidence.expectOutput)}${remark}`, found)
  return seen(true, `exit code ${result.exitCode}${remark}`, found)
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)

/** Returns the exit code that failed a command; null: it failed for another reason. */
export function exitCodeIn({ detail }: Pick<Found, 'detail'>): number | null {
  const found = /^exit code (\d+), expected/.exec(detail)?.[1]
  return found === undefined ? null : Number(found)
}
