import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { PromptFile } from './contract.ts'

/**
 * Lists every playbook's prompt files, and which of them a home replaces with its own file
 * `<own>/<playbook>/<name>.md`.
 */
export function listPrompts(bundled: string, own: string): { prompts: PromptFile[]; warnings: string[] } {
  const prompts: PromptFile[] = []
  const warnings: string[] = []
  const playbooks = foldersIn(bundled)
  for (const playbook of playbooks) {
    const ours = markdownIn(join(bundled, playbook, 'prompts'))
    const theirs = new Set(markdownIn(join(own, playbook)))
    for (const name of ours) {
      const isOwn = theirs.delete(name)
      const folder = isOwn ? join(own, playbook) : join(bundled, playbook, 'prompts')
      prompts.push({ playbook, name, from: isOwn ? 'own' : 'bundled', path: join(folder, `${name}.md`) })
    }
    for (const name of theirs)
      warnings.push(`${join(own, playbook, `${name}.md`)} is not used: ${playbook} has no prompt of that name`)
  }
  for (const name of foldersIn(own))
    if (!playbooks.includes(name)) warnings.push(`${join(own, name)} is not used: unknown playbook "${name}"`)
  return { prompts, warnings }
}

const foldersIn = (path: string): string[] => entriesIn(path).flatMap((each) => (each.isDirectory() ? [each.name] : []))

const markdownIn = (path: string): string[] =>
  entriesIn(path).flatMap((each) => (each.name.endsWith('.md') && !each.isDirectory() ? [each.name.slice(0, -3)] : []))

function entriesIn(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
