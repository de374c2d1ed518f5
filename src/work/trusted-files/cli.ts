import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'

import type { trustCommand } from '../../cli/commands/trust.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { readInput } from '../../cli/input.ts'
import { ago, plain, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { ApiError } from '../../operations/problem.ts'
import type { FileReview, TrustedFileLine } from './contract.ts'
import { trustedFileEndpoints } from './endpoints.ts'
import { reviewLines } from './cli/review-lines.ts'

type Review = Wire<FileReview>

/** Trusts a file after printing everything that it starts: the command itself is the consent, as with direnv. */
export const trustFile: Handler<typeof trustCommand> = async (context, file, { preview, list, revoke, json }) => {
  if (list) return listFiles(context, json)
  if (revoke !== undefined) return revokeFile(context, revoke, json)
  const text = await readInput(file, 'file', 'a file')
  const name = nameOf(file)
  const review = await context.api().call<Review>(trustedFileEndpoints.review, { text, name })
  if (!json) for (const line of reviewLines(context, review)) context.out(line)
  const isNeeded = review.starts.length > 0 && !review.trusted && !preview
  const after = isNeeded
    ? await context.api().call<Review>(trustedFileEndpoints.trust, { text, name, hash: review.hash })
    : review
  if (json) context.json(after)
  else if (isNeeded) context.out(`trusted: ${review.hash}`)
  return 0
}

/** A file from standard input has no path. */
export const nameOf = (file: string | undefined): string | undefined =>
  file === undefined || file === '-' ? undefined : resolve(file)

async function listFiles(context: CliContext, json: true | undefined): Promise<number> {
  const answer = await context.api().call<{ files: Wire<TrustedFileLine>[] }>(trustedFileEndpoints.list, {})
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.files.length === 0) {
    context.out("no file is trusted; 'agency trust <file>' trusts one")
    return 0
  }
  const rows = answer.files.map(({ name, kind, hash, trusted_at }) => [
    plain(name ?? 'standard input'),
    kind,
    ago(trusted_at, context.nowMs()),
    hash,
  ])
  const columns = [
    { title: 'FILE', flexible: true },
    { title: 'KIND' },
    { title: 'TRUSTED', right: true },
    { title: 'HASH' },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

async function revokeFile(context: CliContext, which: string, json: true | undefined): Promise<number> {
  const input = /^[0-9a-f]{64}$/.test(which) ? { hash: which } : { name: resolve(which) }
  const answer = await context.api().call<{ files: Wire<TrustedFileLine>[] }>(trustedFileEndpoints.revoke, input)
  if (json) context.json(answer)
  else for (const { name, hash } of answer.files) context.out(`no longer trusted: ${plain(name ?? hash)}`)
  return 0
}

/**
 * Sends a request with files. If they are not trusted, it prints everything that they start and sends the request again
 * with their hashes, if the operator has said --trust or says yes. The text is the same both times, whatever happens to
 * the file meanwhile.
 */
export async function sendTrusted<Answer>(
  context: CliContext,
  isTrusted: true | undefined,
  send: (trust: readonly string[]) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send([])
  } catch (error) {
    const files = untrustedIn(error)
    if (files === null) throw error
    for (const file of files) for (const line of reviewLines(context, file)) context.err(line)
    if (!isTrusted && !(await confirmTrust(files.length))) throw error
    return send(files.map(({ hash }) => hash))
  }
}

function untrustedIn(error: unknown): Review[] | null {
  if (!(error instanceof ApiError) || error.problem.code !== 'trust_required') return null
  return (error.problem.data?.['files'] ?? null) as Review[] | null
}

/** Asks only a person: a script is refused and prints the next command. */
export async function confirmTrust(files: number): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`Trust ${files === 1 ? 'this file' : 'these files'}? [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
