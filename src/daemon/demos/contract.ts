import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { Run } from '../../work/runs/contract.ts'
import { demoEndpoints } from './endpoints.ts'

export const demoProfiles = ['full', 'medium', 'simple'] as const
export const DemoProfile = z.enum(demoProfiles)
export type DemoProfile = z.infer<typeof DemoProfile>

export const demoNames = ['tiered', 'direct', 'liar'] as const
export const DemoName = z.enum(demoNames)
export type DemoName = z.infer<typeof DemoName>

export const PlayDemo = z.strictObject({
  name: DemoName.default('tiered').describe(
    'tiered: a team of tiers; direct: one agent that forgets a file; liar: an agent that claims what is not so',
  ),
  profile: DemoProfile.default('full').describe('Number of tiers of a tiered demonstration: full, medium or simple'),
  manual: z.boolean().default(false).describe('Gates wait for you; otherwise the demonstration approves them itself'),
})
export type PlayDemo = z.infer<typeof PlayDemo>

/** The part of a demonstration that a visitor takes: a gate waits for her for a moment, then it is approved without her. */
export const DemoGuide = z.object({
  name: DemoName.nullable().describe('null: the run is no demonstration'),
  gate: z
    .object({ id: z.string(), approvesAt: z.string().describe('The demonstration approves the gate itself then') })
    .nullable()
    .describe('The pending gate that the demonstration decides if nobody else does'),
})
export type DemoGuide = z.infer<typeof DemoGuide>

export const demoOperations = {
  play: operation({
    name: 'demo.play',
    summary: 'Start a demonstration: a run of simulated agents that approves its own gates',
    ...demoEndpoints.play,
    input: PlayDemo,
    output: Run,
    allow: ['operator'],
  }),
  guide: operation({
    name: 'demo.guide',
    summary: 'Tell whether a run is a demonstration, and which of its gates it approves by itself and when',
    ...demoEndpoints.guide,
    input: z.strictObject({ runId: z.string() }),
    output: DemoGuide,
    allow: ['operator'],
  }),
}
