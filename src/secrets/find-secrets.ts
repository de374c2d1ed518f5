import { extname } from 'node:path'

import { lintSource } from '@secretlint/core'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'

import { assignedSecrets } from './passwords.ts'
import { narrowed, redact, rememberSecrets, withoutKnownSecrets } from './redact.ts'
import type { Finding, ScanRequest, SourceText } from './scan.ts'
import { findTokens } from './tokens.ts'

/**
 * All rules except the one that lets a text disable its own scan (`secretlint-disable`): its author is the one being
 * checked.
 */
const known = rules
  .filter(({ meta }) => !meta.id.endsWith('-filter-comments'))
  .map((rule) => ({ id: rule.meta.id, rule }))

/** Finds text that looks like a secret. Runs in a worker thread of its own, see `scan.ts`. */
export async function findSecrets({ texts, known: values }: ScanRequest): Promise<Finding[]> {
  rememberSecrets(values)
  const findings: Finding[] = []
  for (const source of texts) {
    findings.push(...(await findIn(source)))
    if (findings.length >= maxFindings) return [...findings.slice(0, maxFindings), furtherFindings(source)]
  }
  return findings
}

/** Reads a text as it is shown, and also as it is stored: without its colours a token may follow a word directly. */
async function findIn(source: SourceText): Promise<Finding[]> {
  const text = { ...source, text: narrowed(source.text) }
  const matches = [...(await lintMatches(text)), ...privateKeys(text), ...tokens(text), ...passwords(text)]
  const found = [...onePerLine(text, matches), ...knownValues(text)]
  if (text.text === source.text) return found
  const lines = new Set(found.map(({ line }) => line))
  return [...found, ...onePerLine(source, tokens(source)).filter(({ line }) => !lines.has(line))]
}

/** More findings than a person reads; an operator who allows these must know that the list is incomplete. */
const maxFindings = 50
const furtherFindings = ({ path, line = 1 }: SourceText): Finding => ({
  rule: 'not_scanned',
  path,
  line,
  // The rule that an operator allows, and that the store keeps, is a hash of this text: another wording would ask again.
  excerpt: `there are more than ${maxFindings} findings; what comes after them was not looked at`,
})

interface Match {
  readonly rule: string
  readonly index: number
}

async function lintMatches({ path, text }: SourceText): Promise<Match[]> {
  // The library would open a `.p12` by its path; the path is untrusted, and a key store is not text.
  const ext = extname(path) === '.p12' ? '' : extname(path)
  const { messages } = await lintSource({
    source: { content: text, filePath: `/dev/null/${path}`, ext, contentType: 'text' },
    options: { config: { rules: known }, noPhysicFilePath: true, maskSecrets: true },
  })
  return messages.map(({ ruleId, range }) => ({
    rule: ruleId.replace(/^@secretlint\/secretlint-rule-/, ''),
    index: range[0],
  }))
}

/** Unlike the library's rule, also matches a truncated key: a missing last line does not make a key harmless. */
const privateKeys = ({ text }: SourceText): Match[] =>
  [
    ...text.matchAll(
      /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?=(?:\\[nr]|\s){0,8}[A-Za-z0-9+/=:, -]{16})/g,
    ),
  ].map(({ index }) => ({ rule: 'private-key', index }))

const tokens = ({ text }: SourceText): Match[] => findTokens(text).map(({ start }) => ({ rule: 'token', index: start }))

/** The keys that agents use for payment have no format that a rule could recognise. */
const knownValues = ({ path, line = 1, text }: SourceText): Finding[] =>
  withoutKnownSecrets(text) === text
    ? []
    : [{ rule: 'known', path, line, excerpt: 'a key of this installation, as it is or encoded' }]

const passwords = ({ path, text }: SourceText): Match[] =>
  assignedSecrets(text, { quotedOnly: isCode.test(path) }).map(({ start }) => ({ rule: 'password', index: start }))

const isCode =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|kts|scala|cs|c|h|cc|cpp|hpp|m|swift|php|pl|lua|dart|ex|exs|vue|svelte|sql)$/i

function onePerLine({ path, line: first = 1, text }: SourceText, matches: readonly Match[]): Finding[] {
  const perLine = new Map<number, Finding>()
  for (const { rule, index } of [...matches].sort((a, b) => a.index - b.index)) {
    if (perLine.size > maxFindings) break
    const start = text.lastIndexOf('\n', index - 1) + 1
    const line = first + countLines(text, start)
    if (!perLine.has(line)) perLine.set(line, { rule, path, line, excerpt: excerptBefore(text.slice(start, index)) })
  }
  return [...perLine.values()]
}

function countLines(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** The text before the secret identifies it; in the text after it, the end of the secret is unknown. */
const excerptBefore = (before: string): string => `${redact(before.slice(-80)).trimStart()}[redacted]`
