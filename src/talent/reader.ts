import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

import { type Clock, systemClock } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import { readText, readTexts } from '../threads/read-texts.ts'
import { type FrontMatter, parsePersonality } from './front-matter.ts'
import { readMarkdown } from './markdown-files.ts'
import { type ParsedFiles, parsedPersonality } from './parsed.ts'
import { noRegistry, type parseRegistry } from './registry.ts'

/** A file of a pool: its personality, or the reason why there is none. */
export type ReadFile =
  { reason: string } | { text: string; bytes: number; personality: FrontMatter | { reason: string } }

/** Reads files of pools: every file once, until it is changed, and in a thread, because anybody may have written it. */
export interface PoolReader {
  /** Reads files below a folder; `own` files ship with Agency and need no thread. */
  read(root: string, paths: readonly string[], own?: ParsedFiles): Promise<ReadFile[]>
}

const batchSize = 64
/** The time for the files of one pool; a pool that takes longer was written to do so. */
const maxMs = 20_000
const maxKept = 12_000
/** A file that was changed just now may be changed again without another time of its change. */
const settledMs = 1_000

export function createPoolReader(clock: Clock = systemClock): PoolReader {
  const kept = new Map<string, { version: string; file: ReadFile }>()

  const parse = async (texts: readonly string[]): Promise<readonly (FrontMatter | { reason: string })[]> => {
    try {
      return await readTexts('personality', texts, clock)
    } catch (error) {
      if (!(error instanceof AgencyError) || error.code === 'bug') throw error
      return texts.map(() => ({ reason: 'its front matter, or that of a file beside it, takes too long to read' }))
    }
  }

  async function readBatch(root: string, paths: readonly string[], own: ParsedFiles | undefined): Promise<ReadFile[]> {
    const versions = await Promise.all(paths.map((path) => versionOf(join(root, path), clock)))
    const found = paths.map((path, index) => {
      const known = kept.get(join(root, path))
      return known !== undefined && known.version === versions[index] ? known.file : null
    })
    const missing = paths.flatMap((path, index) => (found[index] === null ? [{ path, index }] : []))
    const texts = await Promise.all(missing.map(({ path }) => readMarkdown(join(root, path))))
    const unknown: { at: number; text: string; bytes: number }[] = []
    for (const [number, { index }] of missing.entries()) {
      const read = texts[number] as Awaited<ReturnType<typeof readMarkdown>>
      if ('reason' in read) found[index] = read
      else if (own === undefined) unknown.push({ at: index, ...read })
      else found[index] = { ...read, personality: parsedPersonality(own, read.text) ?? parsePersonality(read.text) }
    }
    const parsed = await parse(unknown.map(({ text }) => text))
    for (const [number, { at, text, bytes }] of unknown.entries())
      found[at] = { text, bytes, personality: parsed[number] as FrontMatter | { reason: string } }
    for (const { path, index } of missing) {
      const version = versions[index]
      if (kept.size > maxKept) kept.clear()
      if (typeof version === 'string') kept.set(join(root, path), { version, file: found[index] as ReadFile })
    }
    return found as ReadFile[]
  }

  return {
    async read(root, paths, own) {
      const files: ReadFile[] = []
      const began = clock.nowMs()
      for (let start = 0; start < paths.length; start += batchSize) {
        const some = paths.slice(start, start + batchSize)
        if (clock.nowMs() - began > maxMs)
          files.push(...some.map(() => ({ reason: 'the files before it took too long' })))
        else files.push(...(await readBatch(root, some, own)))
      }
      return files
    },
  }
}

/** Returns facts that differ after every change of the file; null while it may be changing. */
async function versionOf(path: string, clock: Clock): Promise<string | null> {
  const found = await lstat(path, { bigint: true }).catch(() => null)
  if (found === null || clock.nowMs() - Number(found.ctimeMs) < settledMs) return null
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
}

/** Reads the text of a registry; a text that cannot be read is a fault of it. */
export async function readRegistryText(
  text: string,
  clock: Clock = systemClock,
): Promise<ReturnType<typeof parseRegistry>> {
  try {
    return await readText('registry', text, clock)
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    return { registry: noRegistry, faults: [`1:1: ${error.message}`] }
  }
}
