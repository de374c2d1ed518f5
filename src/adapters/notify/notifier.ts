import { readFileSync } from 'node:fs'

import { shorten } from '../../kernel/text.ts'
import { redact, rememberSecrets } from '../../secrets/redact.ts'
import type { Secret } from './contract.ts'
import type { Notification, Notifier } from './port.ts'
import { onOneLine } from './text.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The input of an adapter for one message. */
export interface Sending {
  readonly message: Notification
  /** Aborted at the limit: the adapter must then close everything at once. */
  readonly signal: AbortSignal
  /** Returns a secret's value; from then on it is removed from every error of this message. */
  reveal(secret: Secret): string
}

/** Wraps an adapter with the parts common to all: the limit, secrets, and errors without secrets. */
export function createNotifier(
  name: string,
  environment: Environment,
  deliver: (sending: Sending) => Promise<void>,
): Notifier {
  return {
    name,
    async send(message, { timeoutMs, signal: stopped }) {
      const revealed = new Set<string>()
      const reveal = (secret: Secret): string => {
        const value = lookUp(secret, environment)
        for (const part of secretPartsOf(value)) revealed.add(part)
        // An address is no secret as a whole, and may be that of a public service.
        if (!URL.canParse(value)) rememberSecrets([value])
        return value
      }
      const limit = AbortSignal.timeout(timeoutMs)
      const signal = stopped === undefined ? limit : AbortSignal.any([limit, stopped])
      try {
        signal.throwIfAborted()
        await Promise.race([deliver({ message, signal, reveal }), abortionOf(signal)])
      } catch (error) {
        if (stopped?.aborted) throw failure('the daemon is stopping')
        if (limit.aborted) throw failure(`did not answer within ${timeoutMs / 1_000} s`)
        throw failure(withoutSecrets(error, revealed))
      }
    },
  }
}

/** Has no cause: the original error still contains the secrets that were removed from the sentence. */
const failure = (sentence: string): Error => new Error(sentence)

/** An adapter listens to the signal too; this enforces the limit if a library does not. */
function abortionOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  return promise
}

const maxSecretBytes = 64 * 1_024

function lookUp(secret: Secret, environment: Environment): string {
  if (typeof secret === 'string') return secret
  if ('env' in secret) {
    const value = environment[secret.env]
    if (value === undefined || value === '') throw new Error(`${secret.env} is not set in the daemon’s environment`)
    return value
  }
  const value = readSecretFile(secret.file)
  if (value === '') throw new Error(`${secret.file} is empty`)
  return value
}

function readSecretFile(path: string): string {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > maxSecretBytes) throw new Error('the file is too large for a secret')
    return bytes.toString('utf8').trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`${path} cannot be read: ${code ?? message}`, { cause: error })
  }
}

/** Returns the whole value and, of an address, the parts that may be secret: an answer often repeats only a part. */
function secretPartsOf(value: string): string[] {
  const parts = [value]
  if (URL.canParse(value)) {
    const { username, password, pathname, search } = new URL(value)
    parts.push(`${pathname}${search}`, pathname, username, password, ...pathname.split('/'), ...search.split(/[?&=]/))
  }
  const plain = parts.flatMap((part) => [part, decoded(part)])
  // Shorter parts are words like `hooks` or `v1`; removing them would damage every sentence.
  return [value, ...plain.filter((part) => part.length >= 6)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function withoutSecrets(error: unknown, revealed: ReadonlySet<string>): string {
  let text = error instanceof Error ? error.message : String(error)
  for (const secret of [...revealed].sort((a, b) => b.length - a.length)) text = text.replaceAll(secret, '[redacted]')
  return shorten(onOneLine(redact(text)), 500)
}
