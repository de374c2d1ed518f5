import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

import type { Form } from '../../../cli/answers.ts'
import type { CliContext } from '../../../cli/context.ts'
import { plain } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { refusal } from '../../../kernel/errors.ts'
import type { InputOf, OutputOf } from '../../../operations/contract.ts'
import type { personaOperations } from '../contract.ts'

type File = InputOf<typeof personaOperations.importFiles>['files'][number]
type Imported = Wire<OutputOf<typeof personaOperations.importFiles>>

export interface ImportOptions extends Form {
  role?: string
  preview?: true
}

/** Reads a folder of agents and tells of each file what became of it. */
export async function importPersonas(context: CliContext, folder: string, options: ImportOptions): Promise<number> {
  const { files, skipped } = collect(folder)
  if (files.length + skipped.length === 0)
    throw refusal('not_found', `no Markdown file in ${folder}`, { hint: 'Give .claude/agents, or a folder of agents.' })
  const all: Imported = { created: [], skipped }
  for (const batch of batches(files)) {
    const input = { files: batch, role: options.role, preview: options.preview }
    const answered = await context.api().post<Imported>('/personas/import', input)
    all.created.push(...answered.created)
    all.skipped.push(...answered.skipped)
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

/** A project is asked for its `.claude/agents`; anything else is taken as it lies. Links are not followed. */
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

/** As much as one request may carry. */
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
