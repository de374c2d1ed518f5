import { isAbsolute, join } from 'node:path'

import type { ResolvedTeam } from '../team/contract.ts'
import { isFolder, readMarkdown } from './markdown-files.ts'
import { readRegistryText } from './reader.ts'

/** The talent keys of a team file: a pool beside ours and the home's, and a registry that takes precedence over theirs. */
export type TeamTalent = ResolvedTeam['talent']

export interface TalentProblem {
  key: keyof TeamTalent
  message: string
}

/** Returns why a team's talent cannot be used, or null. */
export async function checkTeamTalent(team: TeamTalent): Promise<TalentProblem | null> {
  const { path, registry } = team
  for (const key of ['path', 'registry'] as const) {
    const value = team[key]
    if (value !== null && !isAbsolute(value))
      return { key, message: `must be an absolute path, not "${value.slice(0, 200)}"` }
  }
  if (path !== null && !(await isFolder(path))) return { key: 'path', message: `there is no folder ${path}` }
  const file = registry ?? (path === null ? null : registryPath(path))
  if (file === null) return null
  const read = await readMarkdown(file)
  if ('reason' in read) return registry === null ? null : { key: 'registry', message: `${registry} cannot be read` }
  const [fault] = (await readRegistryText(read.text)).faults
  return fault === undefined
    ? null
    : { key: registry === null ? 'path' : 'registry', message: `${file}:${fault}; the file is not used` }
}

export const registryPath = (path: string): string => join(path, 'role_registry.yaml')
