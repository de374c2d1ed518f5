import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { promptPath } from '../entries.ts'
import type { Brief } from '../work/briefs/contract.ts'

/** The operator's own version in `<home>/prompts/<playbook>/<name>.md` stands before ours. Read anew each time: an edit counts at once. */
export function promptOf(home: string, playbook: string, kind: Brief['kind']): string {
  const name = kind === 'work' ? 'brief' : kind
  const own = join(home, 'prompts', playbook, `${name}.md`)
  return readFileSync(existsSync(own) ? own : promptPath(playbook, name), 'utf8')
}
