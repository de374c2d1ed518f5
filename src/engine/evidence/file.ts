import type { EvidenceOf } from '../../work/evidence/contract.ts'
import { isOurs } from '../../workspaces/path.ts'
import { absent, reportedInstead } from './absent.ts'
import { type Found, quoted, type Scene, searchedBytes, seen } from './finding.ts'

export async function checkFile(evidence: EvidenceOf<'file'>, scene: Scene): Promise<Found> {
  const file = await scene.files.read(evidence.path, evidence.contains === undefined ? 0 : searchedBytes)
  if (file === null || isOurs(file.linksTo ?? evidence.path))
    return seen(false, reportedInstead(await absent(scene.files.path, evidence.path), scene.outputs))
  const found = { sha256: file.sha256 }
  if (file.bytes < evidence.minBytes)
    return seen(false, `${evidence.path} has ${file.bytes} bytes, expected at least ${evidence.minBytes}`, found)
  if (evidence.sha256 !== undefined && file.sha256 !== evidence.sha256)
    return seen(false, `${evidence.path} has another hash than expected`, found)
  if (evidence.contains !== undefined && !file.text.includes(evidence.contains))
    return seen(false, `${searched(evidence.path, file.bytes)} not contain ${quoted(evidence.contains)}`, found)
  return seen(true, `${evidence.path}, ${file.bytes} bytes`, found)
}

const searched = (path: string, bytes: number): string =>
  bytes > searchedBytes ? `the first ${searchedBytes} bytes of ${path} do` : `${path} does`
