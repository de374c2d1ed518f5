import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { promptPath } from '../entries.ts'
import type { Brief } from '../work/briefs/contract.ts'

/**
 * Returns a prompt: the operator's version in `<home>/prompts/<playbook>/<name>.md`, or else ours. It is read every
 * time, so that an edit applies at once.
 */
export function promptOf(home: string, playbook: string, kind: Brief['kind'], phase: Brief['phase'] = null): string {
  const name = promptName(kind, phase)
  const own = join(home, 'prompts', playbook, `${name}.md`)
  return readFileSync(existsSync(own) ? own : promptPath(playbook, name), 'utf8')
}

export const promptName = (kind: Brief['kind'], phase: Brief['phase']): string =>
  phase ?? (kind === 'work' ? 'brief' : kind)
