import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Caps, Description, Playbook, VerifierPlace } from '../contract.ts'
import { type BriefData, dataOfBrief } from './contract.ts'
import { authorOf } from './escalate-ladder.ts'

/** Returns the names of a brief in the live log. */
export function describe(brief: Brief): Description {
  const { tier, workstream, files, replaces } = dataOfBrief(brief)
  return {
    name: nameOf(brief),
    author: authorOf(brief),
    tags: { tier: tier.toUpperCase(), ...(workstream === null ? {} : { workstream }) },
    files,
    replaces,
  }
}

export const nameOf = (brief: Brief): string => dataOfBrief(brief).label ?? brief.key

/** Returns the maximum numbers of agents at work: of the run and of each tier. */
export function caps({ configuration }: Run): Caps | null {
  const limits = configuration.team?.limits
  return limits === undefined ? null : { all: limits.maxParallelAgents, byKey: limits.maxParallel }
}

/** A verifier is of the last tier and belongs to the workstream of the work. */
export function verifier({ configuration }: Run, judged: Brief): VerifierPlace {
  const tier = configuration.team?.tiers.t5
  const { workstream } = dataOfBrief(judged)
  return {
    phase: 't5',
    capKey: 't5',
    groupKey: workstream,
    data: { ...noTask, tier: 't5', workstream, label: `verifier of ${nameOf(judged)}`, personality: null },
    ...(tier === undefined ? {} : { runtime: tier.runtime, runtimeOptions: tier.runtimeOptions }),
  }
}

/** The rest of a task keeps its place; a repair of the result is done by the same tier, in no workstream. */
export const derive: NonNullable<Playbook['derive']> = (brief, as) => {
  const data = dataOfBrief(brief)
  if (as === 'repair')
    return {
      groupKey: null,
      data: { ...noTask, tier: data.tier, workstream: null, label: null, personality: data.personality },
    }
  // Above the first tier.
  if (as === 'resolve')
    return {
      groupKey: null,
      data: { ...noTask, tier: 't1', workstream: null, label: 'the lead', personality: null },
    }
  const label = data.label === null ? null : `${data.label} (rest)`
  return { groupKey: brief.groupKey, data: { ...data, label, replaces: null, opaque: false } }
}

const noTask: Pick<BriefData, 'files' | 'flow' | 'replaces' | 'opaque'> = {
  files: [],
  flow: null,
  replaces: null,
  opaque: false,
}
