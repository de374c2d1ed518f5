import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { promptPath } from '../entries.ts'

/** The operator's own version in `<home>/prompts/<playbook>/brief.md` stands before ours. Read anew each time: an edit counts at once. */
export function promptOf(home: string, playbook: string): string {
  const own = join(home, 'prompts', playbook, 'brief.md')
  return readFileSync(existsSync(own) ? own : promptPath(playbook, 'brief'), 'utf8')
}
