import { shorten } from '../../kernel/text.ts'
import type { EvidenceOf } from '../../work/evidence/contract.ts'
import { probeServer } from '../../workspaces/probe-server.ts'
import { type Found, kept, lastLines, notRun, quoted, type Scene, searchedBytes, seen, Unchecked } from './finding.ts'
import { missingIn } from './json-part.ts'

export async function checkHttp(evidence: EvidenceOf<'http'>, scene: Scene): Promise<Found> {
  if (!scene.mayRunCommands) return notRun()
  const { answer, boxed } = await probeServer(scene.workspace, {
    start: evidence.start,
    url: evidence.url,
    timeoutMs: evidence.timeoutSeconds * 1_000,
    refusedPorts: scene.ourPorts,
    maxBodyBytes: searchedBytes,
    ...(scene.signal && { signal: scene.signal }),
  })
  if (answer === null) throw new Unchecked('the probe of a server could not run')
  if (answer.outcome === 'failed')
    return seen(false, shorten(answer.why, 300), { output: kept(answer.log), end: lastLines(answer.log), boxed })
  const found = { output: kept(answer.body), sha256: answer.sha256, boxed }
  const lack = lacking(evidence.expect, answer)
  return lack === null
    ? seen(true, `answered ${answer.status}, ${answer.bytes} bytes`, found)
    : // The server's log explains a failure better than its answer.
      seen(false, lack, { ...found, output: kept(`${answer.body}\n${answer.log}`.trim()) })
}

function lacking(
  { status, contains, json }: EvidenceOf<'http'>['expect'],
  answer: { status: number; body: string },
): string | null {
  if (answer.status !== status) return `answered ${answer.status}, expected ${status}`
  if (contains !== undefined && !answer.body.includes(contains))
    return `its answer does not contain ${quoted(contains)}`
  if (json === undefined) return null
  let said: unknown
  try {
    said = JSON.parse(answer.body)
  } catch {
    return 'its answer is not JSON'
  }
  const missing = missingIn(said, json)
  return missing === null ? null : `its answer says something else at ${shorten(missing, 200)}`
}
