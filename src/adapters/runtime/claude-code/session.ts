import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Reports whether this home still has the session: resuming one that is gone is an error and would fail the attempt. */
export async function hasSession(home: string, session: string): Promise<boolean> {
  if (!/^[0-9a-f-]{36}$/.test(session)) return false
  const projects = join(home, '.claude', 'projects')
  for (const project of await namesIn(projects))
    if ((await namesIn(join(projects, project))).includes(`${session}.jsonl`)) return true
  return false
}

const namesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => [])
