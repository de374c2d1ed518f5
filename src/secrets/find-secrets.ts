import { extname } from 'node:path'

import { lintSource } from '@secretlint/core'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'

import { assignedSecrets } from './passwords.ts'
import { redact } from './redact.ts'
import type { Finding, SourceText } from './scan.ts'

/** All of them but the one by which a text could excuse itself (`secretlint-disable`): its author is whom we look at. */
const known = rules
  .filter(({ meta }) => !meta.id.endsWith('-filter-comments'))
  .map((rule) => ({ id: rule.meta.id, rule }))

/** What looks like a secret in some texts; in a thread of its own, see `scan.ts`. */
export async function findSecrets(parts: readonly SourceText[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const part of parts) {
    const seen = [...(await lookedUp(part)), ...privateKeys(part), ...passwords(part)]
    findings.push(...atMostOnePerLine(part, seen))
    if (findings.length >= maxFindings) return [...findings.slice(0, maxFindings), andMore(part)]
  }
  return findings
}

/** Nobody reads more of them, but whoever allows these must know that they are not all. */
const maxFindings = 50
const andMore = ({ path, line = 1 }: SourceText): Finding => ({
  rule: 'not_scanned',
  path,
  line,
  shown: `there are more than ${maxFindings} findings; what comes after them was not looked at`,
})

interface Match {
  readonly rule: string
  readonly index: number
}

async function lookedUp({ path, text }: SourceText): Promise<Match[]> {
  // A `.p12` would be opened by its path; the path is not ours, and a key store is no text.
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

/** Also one that is cut off, unlike the library's: a key does not become harmless by a missing last line. */
const privateKeys = ({ text }: SourceText): Match[] =>
  [
    ...text.matchAll(
      /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?=(?:\\[nr]|\s){0,8}[A-Za-z0-9+/=:, -]{16})/g,
    ),
  ].map(({ index }) => ({ rule: 'private-key', index }))

const passwords = ({ path, text }: SourceText): Match[] =>
  assignedSecrets(text, { quotedOnly: isCode.test(path) }).map(({ start }) => ({ rule: 'password', index: start }))

const isCode =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|kts|scala|cs|c|h|cc|cpp|hpp|m|swift|php|pl|lua|dart|ex|exs|vue|svelte|sql)$/i

function atMostOnePerLine({ path, line: first = 1, text }: SourceText, seen: readonly Match[]): Finding[] {
  const perLine = new Map<number, Finding>()
  for (const { rule, index } of [...seen].sort((a, b) => a.index - b.index)) {
    if (perLine.size > maxFindings) break
    const start = text.lastIndexOf('\n', index - 1) + 1
    const line = first + countLines(text, start)
    if (!perLine.has(line)) perLine.set(line, { rule, path, line, shown: shownUpTo(text.slice(start, index)) })
  }
  return [...perLine.values()]
}

function countLines(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** What stands before it says enough; of what comes after nobody knows where the secret ends. */
const shownUpTo = (before: string): string => `${redact(before.slice(-80)).trimStart()}[redacted]`
