import { fold, slug } from '../../kernel/text.ts'
import { PersonaName, RoleName } from '../references.contract.ts'
import { workingHeading, workingSection } from '../templates.ts'
import type { AgentText } from './agent-file.ts'

export interface PlannedPersona {
  /** The index of the file in the list: a path may occur twice. */
  index: number
  path: string
  name: string
  role: string
  skill: string
}

export interface ImportPlan {
  personas: PlannedPersona[]
  skipped: { path: string; reason: string }[]
}

/** Folders of known collections that contain other things. */
const otherFolders = new Set(['strategy', 'integrations', 'examples', 'scripts'])

/** The default role for files of coding agents, which lie in no folder named after their work. */
const usualRole = 'developer'

/** A file and what its text says; null: it has no front matter. */
export interface AgentFile {
  readonly path: string
  readonly agent: AgentText | null
}

/**
 * Decides which files become personas, and why the others do not. `known` returns the existing persona with a name and
 * role.
 */
export function planImport(
  files: readonly AgentFile[],
  wantedRole: string | undefined,
  known: (name: string, role: string) => string | undefined,
): ImportPlan {
  const plan: ImportPlan = { personas: [], skipped: [] }
  const taken = new Map<string, string>()
  for (const [index, { path, agent }] of files.entries()) {
    const planned = planFile(path, agent, wantedRole)
    if (typeof planned === 'string') {
      plan.skipped.push({ path, reason: planned })
      continue
    }
    const key = `${fold(planned.name)}\n${fold(planned.role)}`
    const other = known(planned.name, planned.role) ?? taken.get(key)
    if (other === undefined) {
      taken.set(key, path)
      plan.personas.push({ index, ...planned })
    } else plan.skipped.push({ path, reason: `"${planned.name}" (${planned.role}) exists already: ${other}` })
  }
  return plan
}

/** Returns the persona, or the reason why there is none. */
function planFile(
  path: string,
  agent: AgentText | null,
  wantedRole: string | undefined,
): Omit<PlannedPersona, 'index'> | string {
  const folders = path.replaceAll('\\', '/').split('/').slice(0, -1)
  const other = folders.find((folder) => otherFolders.has(folder.toLowerCase()))
  if (other !== undefined) return `${other}/ contains no personas`
  if (!/\.(md|markdown)$/i.test(path)) return 'not a Markdown file'
  if (agent === null) return 'no front matter'
  if (agent.name === '') return 'the front matter has no name'
  const name = PersonaName.safeParse(agent.name)
  if (!name.success || slug(name.data) === '')
    return `the name "${agent.name.slice(0, 100)}" cannot be used: it needs letters from a to z and at most 100 characters`
  const role = RoleName.safeParse(wantedRole ?? (agent.role || divisionOf(folders) || usualRole))
  if (!role.success || fold(role.data) === 'system') return 'the role cannot be used; give another one'
  if (agent.body === '') return 'no text below the front matter'
  return { path, name: name.data, role: role.data, skill: skillOf(agent, role.data) }
}

/**
 * Returns the first folder of the collection; `.claude/agents` is only the location where coding agents keep theirs.
 */
function divisionOf(folders: readonly string[]): string {
  const start = folders.findLastIndex((folder) => folder === 'agents' || folder.startsWith('.'))
  return folders.slice(start + 1).find((folder) => folder !== '' && folder !== '..') ?? ''
}

/** Returns the original text, with a title if it has none, and with the section that every persona here gets. */
function skillOf({ name, description, body }: AgentText, role: string): string {
  const title = /^#[ \t]/.test(body) ? '' : `# ${name}\n\n${description === '' ? '' : `${description}\n\n`}`
  const hasSection = body.split('\n').some((line) => /^##[ \t]/.test(line) && fold(line).includes(fold(workingHeading)))
  return `${title}${body}\n${hasSection ? '' : `\n${workingSection(role)}\n`}`
}
