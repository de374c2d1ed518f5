import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether this home still knows the session: what it says of one that is gone is an error, and the attempt with it. */
export async function knowsSession(home: string, session: string): Promise<boolean> {
  if (!/^[0-9a-f-]{36}$/.test(session)) return false
  const projects = join(home, '.claude', 'projects')
  for (const project of await namesIn(projects))
    if ((await namesIn(join(projects, project))).includes(`${session}.jsonl`)) return true
  return false
}

const namesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => [])
