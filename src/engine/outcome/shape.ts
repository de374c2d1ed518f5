import type { Playbook } from '../../playbooks/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { asksSeat, Resolution } from '../../work/questions/resolution.contract.ts'

/** Returns the shape of the output that a step reports: its playbook declares it, except for an answer of a seat. */
export function shapeOf(playbook: Playbook | undefined, brief: Pick<Brief, 'phase' | 'key'>): Shape | undefined {
  if (asksSeat(brief)) return Resolution
  return brief.phase === null ? undefined : playbook?.outputs?.[brief.phase]
}

type Shape = NonNullable<Playbook['outputs']>[string]
