import { posix } from 'node:path'

import { shorten } from '../../kernel/text.ts'
import type { Report } from '../attempts/contract.ts'
import type { Evidence } from '../evidence/contract.ts'
import type { Checked, Judgement } from './contract.ts'

/** The outputs that a pass must cover: all of them, and of more than these at least so many. */
export const maxCovered = 20
/** A shorter line could be guessed; if all lines of a file are shorter, its longest one counts. */
const shortestQuote = 12

/** A file of the judged work. */
export interface JudgedFile {
  readonly sha256: string
  readonly bytes: number
  /** Null if it is no text or too long: then only its hash can be compared. */
  readonly text: string | null
}

/**
 * Returns the reason why a judgement is invalid in itself, or null. A pass claims no issue and names every output with
 * a proof that it was opened; `faultOfChecked` compares these proofs with the files.
 */
export function faultOfJudgement(
  { status, verdict: judgement, assumptions = [], notes: noted = [] }: Report,
  evidence: readonly Evidence[],
): string | null {
  if (judgement === undefined) return 'the report has no verdict'
  if (status !== 'done') return `a verdict is given whole, and the report says "${status}"`
  if (assumptions.length + noted.length > 0) return 'a verifier writes no notes: its doubts belong in its verdict'
  const { verdict, issues, missingEvidence, notes } = judgement
  if (verdict !== 'pass')
    return issues.length + missingEvidence.length > 0 || notes !== ''
      ? null
      : `a verdict "${verdict}" must name issues or missing evidence`
  if (issues.length > 0)
    return 'a pass has no issues: report "partial" or "fail" with them, or move remarks that change nothing to `notes`'
  if (missingEvidence.length > 0) return 'a pass has no missing evidence: report "partial" or "fail" with it'
  if (judgement.checked.length === 0) return 'a pass must list everything that was checked'
  const proofs = proofsOf(judgement)
  return faultOfCover(outputsIn(evidence), (path) =>
    (proofs.get(path) ?? []).some(({ quote, sha256 }) => quote !== undefined || sha256 !== undefined)
      ? null
      : 'no hash, no quote',
  )
}

/**
 * Compares the files that a judgement names with the judged work. Returns the reason why it is invalid, or null. That is
 * the verifier's fault, never that of the work.
 */
export async function faultOfChecked(
  judgement: Judgement,
  evidence: readonly Evidence[],
  read: (path: string) => Promise<JudgedFile | null>,
): Promise<string | null> {
  const files = new Map<string, JudgedFile>()
  const unknown: string[] = []
  for (const path of pathsChecked(judgement)) {
    const file = await read(path)
    if (file === null) unknown.push(path)
    else files.set(path, file)
  }
  if (unknown.length > 0)
    return `\`checked\` names files that the judged work does not have: ${listed(unknown)}. A missing file belongs in \`issues\` or \`missing_evidence\``
  if (judgement.verdict !== 'pass') return null
  const proofs = proofsOf(judgement)
  return faultOfCover(outputsIn(evidence), (path) => {
    const file = files.get(path)
    return file === undefined ? 'not named' : faultOfProofs(proofs.get(path) ?? [], file)
  })
}

/** Returns those of the files that a judgement proves to have opened. */
export async function openedOf(
  judgement: Judgement,
  paths: readonly string[],
  read: (path: string) => Promise<JudgedFile | null>,
): Promise<string[]> {
  const proofs = proofsOf(judgement)
  const opened: string[] = []
  for (const path of paths) {
    const named = proofs.get(path) ?? []
    const file = named.length === 0 ? null : await read(path)
    if (file !== null && faultOfProofs(named, file) === null) opened.push(path)
  }
  return opened
}

/** Returns the files that a judgement names, each once. */
export const pathsChecked = (judgement: Judgement | undefined): string[] => [
  ...new Set((judgement?.checked ?? []).flatMap((item) => fileOf(item)?.path ?? [])),
]

interface FileProof {
  readonly path: string
  readonly sha256?: string | undefined
  readonly quote?: string | undefined
}

const fileOf = (item: Checked): FileProof | null =>
  typeof item === 'string' || item.path === undefined
    ? null
    : { path: posix.normalize(item.path), sha256: item.sha256, quote: item.quote }

const proofsOf = ({ checked }: Judgement): Map<string, FileProof[]> =>
  Map.groupBy(
    checked.flatMap((item) => fileOf(item) ?? []),
    ({ path }) => path,
  )

const outputsIn = (evidence: readonly Evidence[]): string[] =>
  evidence.flatMap((each) => (each.kind === 'file' ? [posix.normalize(each.path)] : []))

function faultOfCover(outputs: readonly string[], faultOf: (path: string) => string | null): string | null {
  const uncovered = outputs.flatMap((path) => {
    const fault = faultOf(path)
    return fault === null ? [] : [`${shorten(JSON.stringify(path), 200)} (${fault})`]
  })
  const covered = outputs.length - uncovered.length
  if (covered >= Math.min(outputs.length, maxCovered)) return null
  const amount =
    outputs.length > maxCovered ? `at least ${maxCovered} of the ${outputs.length} outputs` : 'every output'
  return `a pass must show that ${amount} was opened, and these are not covered: ${uncovered.slice(0, 5).join(', ')}. ${howToCover}`
}

const howToCover = `For each, \`checked\` has {"path": "<output>", "quote": "<a whole line of it, at least ${shortestQuote} characters, or all of a short file>"} or {"path": "<output>", "sha256": "<its SHA-256>"}; for an empty file "quote" is ""`

function faultOfProofs(proofs: readonly FileProof[], file: JudgedFile): string | null {
  const faults = proofs.map((proof) => faultOfProof(proof, file))
  return faults.includes(null) ? null : (faults.find((fault) => fault !== 'no hash, no quote') ?? 'no hash, no quote')
}

/** Returns null if the proof shows that the file was opened. */
function faultOfProof(proof: FileProof, file: JudgedFile): string | null {
  if (proof.sha256 === file.sha256) return null
  const { quote } = proof
  if (quote === undefined) return proof.sha256 === undefined ? 'no hash, no quote' : 'it has another hash'
  if (file.text === null) return 'it is no text, or too long: give its sha256'
  const wanted = inOneLine(quote)
  const whole = inOneLine(file.text)
  if (wanted === whole) return null
  if (wanted === '') return 'it is not empty'
  const lines = file.text.split(/\r\n|\n|\r/).map(inOneLine)
  if (!lines.includes(wanted)) return 'the quote is not a whole line of it'
  const longest = Math.max(...lines.map((line) => line.length))
  if (wanted.startsWith('#!')) return 'the quote is its first line, which could be guessed'
  return wanted.length >= Math.min(shortestQuote, longest)
    ? null
    : `the quote has fewer than ${Math.min(shortestQuote, longest)} characters`
}

/** Indentation and tabs may look different where the line was read. */
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const listed = (paths: readonly string[]): string =>
  paths
    .slice(0, 5)
    .map((path) => shorten(JSON.stringify(path), 200))
    .join(', ')
