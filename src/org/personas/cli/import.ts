import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

import type { orgPersonaImportCommand } from '../../../cli/commands/org/persona/import.ts'
import type { Handler } from '../../../cli/declare.ts'
import { plain } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { refusal } from '../../../kernel/errors.ts'
import type { InputOf, OutputOf } from '../../../operations/contract.ts'
import type { personaOperations } from '../contract.ts'
import { personaEndpoints } from '../endpoints.ts'

type File = InputOf<typeof personaOperations.importFiles>['files'][number]
type Imported = Wire<OutputOf<typeof personaOperations.importFiles>>

/** Imports a folder of agents and prints the outcome of each file. */
export const importPersonas: Handler<typeof orgPersonaImportCommand> = async (context, folder, options) => {
  const { files, skipped } = collect(folder)
  if (files.length + skipped.length === 0)
    throw refusal('not_found', `no Markdown file in ${folder}`, { hint: 'Name .claude/agents, or a folder of agents.' })
  const all: Imported = { created: [], skipped }
  for (const batch of batches(files)) {
    const input = { files: batch, role: options.role, preview: options.preview }
    const answer = await context.api().call<Imported>(personaEndpoints.importFiles, input)
    all.created.push(...answer.created)
    all.skipped.push(...answer.skipped)
  }
  if (options.json) context.json(all)
  else {
    const verb = options.preview ? 'create' : 'created'
    for (const { path, name, role, slug } of all.created)
      context.out(`${verb} ${slug ?? plain(name)} (${plain(role)}) from ${plain(path)}`)
    for (const { path, reason } of all.skipped) context.out(`skipped ${plain(path)}: ${plain(reason)}`)
  }
  return 0
}

const maxFileBytes = 500_000

/** Collects the Markdown files of a project's `.claude/agents`, or of the folder itself. Links are not followed. */
function collect(folder: string): { files: File[]; skipped: { path: string; reason: string }[] } {
  const own = join(folder, '.claude', 'agents')
  const root = existsSync(own) ? own : folder
  const files: File[] = []
  const skipped: { path: string; reason: string }[] = []
  const walk = (directory: string): void => {
    for (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name)
      const name = relative(root, path)
      if (entry.isDirectory()) {
        if (!entry.name.startsWith('.') && entry.name !== 'node_modules') walk(path)
      } else if (!entry.name.toLowerCase().endsWith('.md')) continue
      else if (!entry.isFile()) skipped.push({ path: name, reason: 'is a link; links are not followed' })
      else {
        const read = readAgent(path)
        if ('text' in read) files.push({ path: name, text: read.text })
        else skipped.push({ path: name, reason: read.reason })
      }
    }
  }
  walk(root)
  return { files, skipped }
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    throw refusal('invalid_input', `${directory} cannot be read: ${(error as Error).message}`)
  }
}

function readAgent(path: string): { text: string } | { reason: string } {
  try {
    if (statSync(path).size > maxFileBytes) return { reason: `is larger than ${maxFileBytes / 1000} kB` }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
    return text.includes('\0') ? { reason: 'is not text' } : { text }
  } catch (error) {
    return { reason: error instanceof TypeError ? 'is not UTF-8 text' : `cannot be read: ${(error as Error).message}` }
  }
}

/** Splits the files into batches that fit into one request. */
function batches(files: readonly File[]): File[][] {
  const made: File[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const file of files) {
    size += file.text.length * 2
    if (size > 5_000_000 || (made.at(-1)?.length ?? 0) === 1_000) {
      made.push([])
      size = file.text.length * 2
    }
    made.at(-1)?.push(file)
  }
  return made
}
