import { shorten } from '../../kernel/text.ts'
import type { EvidenceOf } from '../../work/evidence/contract.ts'
import { runInWorker } from '../../threads/run-in-worker.ts'
import type { SchemaCheck } from '../../json-schema/validate.ts'
import { isOurs } from '../../workspaces/path.ts'
import { absent, reportedInstead } from './absent.ts'
import { type Found, kept, type Scene, seen } from './finding.ts'

const largestDocument = 4_000_000
/** Comparing a document takes milliseconds; only a malicious one takes longer. */
const limits = { timeoutMs: 10_000, maxMemoryMb: 256 }

export async function checkSchema(evidence: EvidenceOf<'schema'>, scene: Scene): Promise<Found> {
  const document = await readText(evidence.path, scene)
  if (typeof document === 'string') return seen(false, document)
  const { sha256 } = document
  const schema =
    evidence.schemaPath === undefined ? { inline: evidence.schema ?? {} } : await readText(evidence.schemaPath, scene)
  if (typeof schema === 'string') return seen(false, schema, { sha256 })
  const question: SchemaCheck = { document, schema }
  const result = await runInWorker<string[]>('schema-check', question, { clock: scene.clock, ...limits })
  if ('error' in result) return seen(false, shorten(result.error, 300), { sha256 })
  const [first] = result.value
  if (first === undefined) return seen(true, `${evidence.path} fits, ${document.bytes} bytes`, { sha256 })
  return seen(false, shorten(first, 300), { sha256, output: kept(result.value.join('\n')) })
}

async function readText(
  path: string,
  { files, outputs }: Scene,
): Promise<{ path: string; text: string; bytes: number; sha256: string } | string> {
  const file = await files.read(path, largestDocument)
  if (file === null || isOurs(file.linksTo ?? path)) return reportedInstead(await absent(files.path, path), outputs)
  if (file.bytes > largestDocument) return `${path} is larger than ${largestDocument / 1_000_000} MB`
  return { path, text: file.text, bytes: file.bytes, sha256: file.sha256 }
}
