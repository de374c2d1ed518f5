import { lettersAndDigits, replaceRuns, runPattern } from './long-runs.ts'

/**
 * Finds known values that were encoded: in base64 at each of its three positions, also without its first and last
 * letters, in base64 of UTF-16, and in hexadecimal. Any 19 characters of an encoded value are enough, because programs
 * break its text into lines.
 */
export interface EncodedValues {
  readonly size: number
  add(value: string): void
  delete(value: string): void
  /** Replaces each run of encoded text that contains a part of a value. */
  redact(text: string): string
}

/** The parts that are looked up, and the distance between the places of a text that are: one part in 19 characters. */
const partLength = 16
const stride = 4

const runs = runPattern(`${lettersAndDigits}+/_=-`, partLength)

export function createEncodedValues(): EncodedValues {
  /** How many values have a part. */
  const parts = new Map<string, number>()
  const values = new Set<string>()
  const count = (value: string, by: 1 | -1): void => {
    for (const part of partsOf(value)) {
      const left = (parts.get(part) ?? 0) + by
      if (left > 0) parts.set(part, left)
      else parts.delete(part)
    }
  }
  const hasPart = (encoded: string): boolean => {
    for (let at = 0; at + partLength <= encoded.length; at += stride)
      if (parts.has(encoded.slice(at, at + partLength))) return true
    return false
  }
  return {
    get size() {
      return values.size
    },
    add: (value) => {
      if (values.has(value)) return
      values.add(value)
      count(value, 1)
    },
    delete: (value) => {
      if (values.delete(value)) count(value, -1)
    },
    redact: (text) => (parts.size === 0 ? text : replaceRuns(text, runs, (run) => (hasPart(run) ? '[redacted]' : run))),
  }
}

function partsOf(value: string): Set<string> {
  const parts = new Set<string>()
  for (const form of formsOf(value))
    for (let at = 0; at + partLength <= form.length; at += 1) parts.add(form.slice(at, at + partLength))
  return parts
}

function formsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const wide = new Uint8Array([...value].flatMap((letter) => [letter.charCodeAt(0) & 0xff, letter.charCodeAt(0) >> 8]))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return [...base64Of(bytes), ...base64Of(wide), hex, hex.toUpperCase()]
}

/** Returns the letters of base64 that depend on the bytes alone, for each position at which the bytes can begin. */
function base64Of(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length)
    shifted.set(bytes, before)
    const text = btoa(String.fromCharCode(...shifted)).replace(/=+$/, '')
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
