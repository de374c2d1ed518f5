import { isAbsolute, join } from 'node:path'

import { isFolder, readMarkdown } from './markdown-files.ts'
import { readableRegistry } from './pool.ts'

/** What a team file says about talent: a pool beside ours and the home's, and a mapping that stands before theirs. */
export interface TeamTalent {
  path: string | null
  registry: string | null
}

export interface TalentTrouble {
  key: keyof TeamTalent
  message: string
}

/** Why what a team brings cannot be used, or null. */
export async function troubleOfTalent(team: TeamTalent): Promise<TalentTrouble | null> {
  const { path, registry } = team
  for (const key of ['path', 'registry'] as const) {
    const place = team[key]
    if (place !== null && !isAbsolute(place))
      return { key, message: `must be an absolute path, not "${place.slice(0, 200)}"` }
  }
  if (path !== null && !(await isFolder(path))) return { key: 'path', message: `there is no folder ${path}` }
  const mapping = registry ?? (path === null ? null : mappingIn(path))
  if (mapping === null) return null
  const read = await readMarkdown(mapping)
  if ('reason' in read) return registry === null ? null : { key: 'registry', message: `${registry} cannot be read` }
  const [fault] = readableRegistry(read.text).faults
  return fault === undefined
    ? null
    : { key: registry === null ? 'path' : 'registry', message: `${mapping}:${fault}; the file is not used` }
}

export const mappingIn = (path: string): string => join(path, 'role_registry.yaml')
