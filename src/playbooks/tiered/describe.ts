import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Description, VerifierPlace } from '../contract.ts'
import { authorOf } from './escalate-ladder.ts'

/** Returns the names of a brief in the live log. */
export const describe = (brief: Brief): Description => ({
  name: nameOf(brief),
  ...(brief.tier === null ? {} : { author: authorOf(brief) }),
  tags: {
    ...(brief.tier === null ? {} : { tier: brief.tier.toUpperCase() }),
    ...(brief.workstream === null ? {} : { workstream: brief.workstream }),
  },
})

/** A verifier is of the last tier and belongs to the workstream of the work. */
export function verifier({ configuration }: Run, judged: Brief): VerifierPlace {
  const tier = configuration.team?.tiers.t5
  return {
    tier: 't5',
    phase: 't5',
    workstream: judged.workstream,
    label: `verifier of ${nameOf(judged)}`,
    ...(tier === undefined ? {} : { runtime: tier.runtime, runtimeOptions: tier.runtimeOptions }),
  }
}

const nameOf = ({ label, key }: Brief): string => label ?? key
