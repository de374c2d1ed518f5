import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { Run } from '../../work/runs/contract.ts'
import { demoEndpoints } from './endpoints.ts'

export const demoProfiles = ['full', 'medium', 'simple'] as const
export const DemoProfile = z.enum(demoProfiles)
export type DemoProfile = z.infer<typeof DemoProfile>

export const PlayDemo = z.strictObject({
  playbook: z.enum(['tiered', 'direct']).default('tiered'),
  profile: DemoProfile.default('full').describe('Number of tiers of a tiered demonstration: full, medium or simple'),
  manual: z.boolean().default(false).describe('Gates wait for you; otherwise the demonstration approves them itself'),
})
export type PlayDemo = z.infer<typeof PlayDemo>

export const demoOperations = {
  play: operation({
    name: 'demo.play',
    summary: 'Start a demonstration: a run of simulated agents that approves its own gates',
    ...demoEndpoints.play,
    input: PlayDemo,
    output: Run,
    allow: ['operator'],
  }),
}
