import { shorten } from '../../kernel/text.ts'

/**
 * Reports whether a shell did not find a program of the machine. A script of the repository that is missing or not
 * executable has the same exit codes, but is named by a path, or as a file.
 */
export function missingProgram(exitCode: number | null, output: string): boolean {
  if (exitCode !== 126 && exitCode !== 127) return false
  const file = /(?<!\S)(\S+): (?:No such file or directory|Permission denied|cannot execute)/i.exec(output)?.[1]
  const program = /(?<!\S)(\S+): (?:command )?not found/i.exec(output)?.[1] ?? file
  if (program === undefined) return true
  return file === undefined && (!program.includes('/') || program.startsWith('/'))
}

/** Reports whether an output says that a service, such as a database, could not be reached. */
export const missesService = (output: string): boolean => unreachable.test(output)

const unreachable =
  /\b(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)\b|connection refused|no such host|name resolution|name or service not known|cannot connect to the docker daemon|docker daemon socket/i

/** Reports whether a tool could not fetch packages because their server, or the way to it, is down. */
export const missesRegistry = (output: string): boolean => missesService(output) || down.test(output)

const down =
  /\bE50[234]\b|\b50[234] (?:Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out)|\b(?:ETIMEDOUT|ECONNRESET)\b/i

/**
 * Returns the failure in an output as one line: the last lines that name one, or else the last lines. Most test runners
 * print stacks and totals after the failure itself.
 */
export function failureIn(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !notices.test(line))
  const failures = lines.filter((line) => failure.test(line) && !totals.test(line))
  return shorten((failures.length > 0 ? failures : lines).slice(-3).join(' / '), 300)
}

const notices = /^npm (?:notice|warn)\b/
const totals = /^(?:#|ℹ)\s|^Tests?:?\s+\d/i
const failure =
  /\b(?:\w*Error|assert\w*|expected|actual|received|want|fail(?:ed|s|ure)?|panic(?:ked)?|exception|not ok|cannot)\b|[✖✗×]/i
