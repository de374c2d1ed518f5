import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

import { type FrontMatter, parsePersonality } from './front-matter.ts'
import { parseRegistry } from './registry.ts'

type Personality = FrontMatter | { reason: string }
type ReadRegistry = ReturnType<typeof parseRegistry>

/**
 * Results of parsing, by a hash of the text. The build parses the files that ship with Agency once, because a fifth of
 * a daemon's start would be spent on their YAML. A file that was changed since has another hash and is parsed again.
 */
export interface ParsedFiles {
  personalities: Record<string, Personality>
  registries: Record<string, ReadRegistry>
}

/** The name of the file with these results, in the folder of the bundled talent. */
export const parsedName = 'parsed.json'

export const nothingParsed: ParsedFiles = { personalities: {}, registries: {} }

/** Parses these texts in advance. */
export const parseFiles = (personalities: readonly string[], registries: readonly string[]): ParsedFiles => ({
  personalities: Object.fromEntries(personalities.map((text) => [hashOf(text), parsePersonality(text)])),
  registries: Object.fromEntries(registries.map((text) => [hashOf(text), parseRegistry(text)])),
})

/** Reads a file that the build has written; the source tree has none. */
export async function readParsed(path: string): Promise<ParsedFiles> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ParsedFiles
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothingParsed
    throw error
  }
}

/** Returns the result of parsing this text in advance, if there is one. */
export const parsedPersonality = (parsed: ParsedFiles, text: string): Personality | undefined =>
  parsed.personalities[hashOf(text)]

export const parsedRegistry = (parsed: ParsedFiles, text: string): ReadRegistry | undefined =>
  parsed.registries[hashOf(text)]

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
