import { createReadStream } from 'node:fs'

import { refusal } from '../kernel/errors.ts'

/** Enough for twenty thousand seats; the daemon accepts no body that is much larger. */
const maxBytes = 6_000_000

/** Reads the input of a command from a file or a pipe, without a byte order mark. */
export async function readInput(file: string | undefined, what: string, flag = '--file F'): Promise<string> {
  const fromPipe = file === undefined || file === '-'
  if (fromPipe && process.stdin.isTTY === true) throw refusal('invalid_input', `no ${what}: add ${flag}, or pipe it in`)
  const name = fromPipe ? 'standard input' : file
  const bytes = await readBytes(fromPipe ? process.stdin : createReadStream(file), name)
  // Empty input mostly means that the command before the pipe failed; it must not empty anything here.
  if (fromPipe && bytes.length === 0)
    throw refusal('invalid_input', `no ${what}: standard input is empty`, { hint: `Pipe it in, or add ${flag}.` })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refusal('invalid_input', `${name} is not UTF-8 text`)
  }
}

async function readBytes(source: AsyncIterable<Buffer>, name: string): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of source) {
      parts.push(part)
      size += part.length
      if (size > maxBytes) break
    }
  } catch (error) {
    throw refusal('invalid_input', `${name} cannot be read: ${(error as Error).message}`)
  }
  if (size > maxBytes)
    throw refusal('too_large', `${name} is larger than ${maxBytes / 1_000_000} MB`, { hint: 'Nothing was changed.' })
  return Buffer.concat(parts)
}
