import { Transform } from 'node:stream'

/** Replaces secrets in a stream of bytes by as many asterisks, also where two chunks divide one. */
export function createMask(secrets: readonly string[]): Transform {
  const patterns = secrets.filter((each) => each !== '').map((each) => Buffer.from(each))
  let held: Buffer = Buffer.alloc(0)
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      for (const pattern of patterns) mask(bytes, pattern)
      const kept = Math.max(0, ...patterns.map((pattern) => beginningAtEnd(bytes, pattern)))
      held = bytes.subarray(bytes.length - kept)
      done(null, bytes.subarray(0, bytes.length - kept))
    },
    flush: (done) => done(null, held),
  })
}

export const maskText = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((masked, each) => (each === '' ? masked : masked.replaceAll(each, '*'.repeat(each.length))), text)

function mask(bytes: Buffer, pattern: Buffer): void {
  for (let at = bytes.indexOf(pattern); at >= 0; at = bytes.indexOf(pattern, at))
    bytes.fill('*', at, at + pattern.length)
}

/** Returns how many bytes at the end are the beginning of the pattern. */
function beginningAtEnd(bytes: Buffer, pattern: Buffer): number {
  for (let length = Math.min(bytes.length, pattern.length - 1); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(pattern.subarray(0, length))) return length
  return 0
}
