import type { EvidenceOf } from '../../work/evidence/contract.ts'
import { type Found, kept, lastLines, notRun, quoted, type Scene, searchedBytes, seen, Unchecked } from './finding.ts'

export async function checkCommand(evidence: EvidenceOf<'command'>, scene: Scene): Promise<Found> {
  if (!scene.mayRunCommands) return notRun()
  const result = await scene.workspace.run(evidence.run, {
    timeoutMs: evidence.timeoutSeconds * 1_000,
    maxOutputBytes: searchedBytes,
    ...(scene.signal && { signal: scene.signal }),
  })
  const { output, outputSha256: sha256, boxed } = result
  const found = { output: kept(output), end: lastLines(output), sha256, boxed }
  if (result.timedOut) return seen(false, `still running after ${evidence.timeoutSeconds} s`, found)
  if (result.signal !== null) return seen(false, `killed by ${result.signal}`, found)
  if (result.exitCode === null)
    throw new Unchecked(`$ ${evidence.run} could not be run: ${found.end.split('\n').at(-1)}`)
  if (result.exitCode !== evidence.expectExit)
    return seen(false, `exit code ${result.exitCode}, expected ${evidence.expectExit}`, found)
  if (evidence.expectOutput !== undefined && !result.output.includes(evidence.expectOutput))
    return seen(false, `its output does not contain ${quoted(evidence.expectOutput)}`, found)
  return seen(true, `exit code ${result.exitCode}`, found)
}

/** Returns the exit code that failed a command; null: it failed for another reason. */
export function exitCodeIn({ detail }: Pick<Found, 'detail'>): number | null {
  const found = /^exit code (\d+), expected/.exec(detail)?.[1]
  return found === undefined ? null : Number(found)
}
