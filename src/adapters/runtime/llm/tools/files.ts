import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'

import { refusal } from '../../../../kernel/errors.ts'
import { agencyDirectory, namesInside, outbox } from '../../../../workspaces/path.ts'
import type { Workspace } from '../../../../workspaces/port.ts'
import { shellQuote } from '../../../../workspaces/quote.ts'
import { defineTool, failed, type Tool } from './tool.ts'

const maxReadBytes = 4 * 1024 * 1024
const maxExcerptBytes = 64 * 1024
const maxWriteBytes = 1024 * 1024
const maxListed = 1_000
const maxDepth = 12
const maxMatchBytes = 32 * 1024

const Path = z.string().min(1).max(4_096)

/** Read-only tools. Every path is resolved with all links before it is trusted. */
export const readingTools = (workspace: Workspace): Tool[] => [
  defineTool({
    name: 'read_file',
    description: 'Reads a text file of the workspace, at most 64 KB of it; use `from_line` and `lines` to read a part.',
    input: z.object({
      path: Path.describe('Relative to the workspace'),
      fromLine: z.number().int().min(1).optional(),
      lines: z.number().int().min(1).optional(),
    }),
    subject: ({ path, fromLine }) => (fromLine === undefined ? path : `${path}:${fromLine}`),
    run: async ({ path, fromLine = 1, lines }) => {
      const file = await workspace.read(nameIn(workspace.path, path), maxReadBytes)
      if (file === null) return failed(`there is no file "${path}" in the workspace`)
      // A file without lines cannot be quoted: its hash shows that it was opened.
      if (file.text.includes('\0')) return `(no text: ${file.bytes} bytes, sha256 ${file.sha256})`
      return excerpt(file.text, fromLine, lines, file.bytes > maxReadBytes)
    },
  }),
  defineTool({
    name: 'list_files',
    description: 'Lists files and directories of the workspace, at most 1,000; links are named, not followed.',
    input: z.object({
      path: Path.default('.').describe('A directory, relative to the workspace'),
      recursive: z.boolean().default(true),
    }),
    subject: ({ path }) => path,
    run: async ({ path, recursive }) => {
      const root = await rootOf(workspace)
      const found = await listEntries(root, await directoryIn(root, path), recursive)
      return found.length === 0 ? '(empty)' : found.join('\n')
    },
  }),
  defineTool({
    name: 'search_files',
    description: 'Searches the text files of the workspace for an extended regular expression, as `grep -E` does.',
    input: z.object({
      pattern: z.string().min(1).max(1_000),
      path: Path.default('.').describe('Where to look, relative to the workspace'),
      ignoreCase: z.boolean().default(false),
    }),
    subject: ({ pattern, path }) => (path === '.' ? pattern : `${pattern} in ${path}`),
    run: async ({ pattern, path, ignoreCase }, signal) => {
      const root = await rootOf(workspace)
      const target = relative(root, await resolveInside(root, path)) || '.'
      // In the box and not in this process: a regular expression can run without end.
      const command = `grep -rnIE${ignoreCase ? 'i' : ''} --exclude-dir=.git --exclude-dir=node_modules -e ${shellQuote(pattern)} -- ${shellQuote(`./${target}`)}`
      const result = await workspace.run(command, { timeoutMs: 30_000, maxOutputBytes: maxMatchBytes, signal })
      if (result.timedOut) return failed('the search took longer than 30 seconds: search in fewer directories')
      if (result.exitCode === 1 && result.output === '') return 'nothing found'
      if (result.exitCode !== 0 && result.exitCode !== 1) return failed(result.output.trim() || 'grep failed')
      return result.output.replaceAll(/^\.\/(\.\/)?/gm, '')
    },
  }),
]

export const writingTool = (workspace: Workspace): Tool =>
  defineTool({
    name: 'write_file',
    description: 'Writes a text file of the workspace as a whole and creates missing parent directories.',
    input: z.object({ path: Path.describe('Relative to the workspace'), content: z.string() }),
    subject: ({ path }) => path,
    run: async ({ path, content }) => {
      if (Buffer.byteLength(content) > maxWriteBytes) return failed('a file may have at most 1 MB')
      const name = nameIn(workspace.path, path)
      await checkWritable(await rootOf(workspace), name)
      await workspace.write(name, content)
      return `wrote ${Buffer.byteLength(content)} bytes to ${path}`
    },
  })

const outside = (path: string) => refusal('invalid_input', `"${path}" is not in the workspace`)

/** Accepts an absolute path inside the workspace; every other path is relative to the workspace. */
function nameIn(root: string, path: string): string {
  const name = path.startsWith(root + sep) ? path.slice(root.length + 1) : path
  if (!namesInside(name)) throw outside(path)
  return name
}

const rootOf = (workspace: Workspace): Promise<string> => realpath(workspace.path)

const isWithin = (root: string, real: string): boolean => real === root || real.startsWith(root + sep)

/** Resolves a path with all links; throws unless the result is in the workspace. */
async function resolveInside(root: string, path: string): Promise<string> {
  const name = ['.', './', root].includes(path) ? '.' : nameIn(root, path)
  const real = await realpath(join(root, name)).catch(() => null)
  if (real === null) throw refusal('invalid_input', `there is no "${path}" in the workspace`)
  if (!isWithin(root, real)) throw outside(path)
  return real
}

async function directoryIn(root: string, path: string): Promise<string> {
  const directory = await resolveInside(root, path)
  if ((await entriesOf(directory)) === null) throw refusal('invalid_input', `"${path}" is not a directory`)
  return directory
}

const entriesOf = (directory: string): Promise<Dirent[] | null> =>
  readdir(directory, { withFileTypes: true }).catch(() => null)

/** Directories whose contents are not listed. */
const skipped = new Set(['.git', 'node_modules'])

async function listEntries(root: string, start: string, recursive: boolean): Promise<string[]> {
  const found: string[] = []
  const walk = async (directory: string, depth: number): Promise<void> => {
    const entries = (await entriesOf(directory)) ?? []
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (found.length >= maxListed) return
      const path = join(directory, entry.name)
      const name = relative(root, path)
      found.push(entry.isDirectory() ? `${name}/` : entry.isSymbolicLink() ? `${name} (link)` : name)
      if (recursive && entry.isDirectory() && depth < maxDepth && !skipped.has(entry.name)) await walk(path, depth + 1)
    }
  }
  await walk(start, 0)
  if (found.length >= maxListed) found.push('(there are more: list a subdirectory)')
  return found
}

/** Rejects writes to Agency's own files. A box protects them from processes; this tool runs outside of it. */
async function checkWritable(root: string, path: string): Promise<void> {
  let parent = dirname(join(root, path))
  let real = await realpath(parent).catch(() => null)
  while (real === null && parent !== root) {
    parent = dirname(parent)
    real = await realpath(parent).catch(() => null)
  }
  const named = join(real ?? root, join(root, path).slice(parent.length + 1))
  const reserved = join(root, agencyDirectory)
  if (isWithin(reserved, named) && !named.startsWith(join(root, outbox) + sep))
    throw refusal('invalid_input', `below ${agencyDirectory} you may write only to ${outbox}`)
}

function excerpt(text: string, fromLine: number, lines: number | undefined, isCut: boolean): string {
  const all = text.split('\n')
  const selected = all.slice(fromLine - 1, lines === undefined ? undefined : fromLine - 1 + lines)
  const part = selected.join('\n')
  if (part === '') return fromLine > all.length ? `(the file has ${all.length} lines)` : '(empty)'
  if (Buffer.byteLength(part) <= maxExcerptBytes) return isCut ? `${part}\n(cut at 4 MB)` : part
  const head = new TextDecoder().decode(Buffer.from(part).subarray(0, maxExcerptBytes), { stream: true })
  return `${head}\n(cut at 64 KB; continue with from_line: ${fromLine + head.split('\n').length - 1})`
}
