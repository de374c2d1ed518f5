import { z } from 'zod'

import type { BriefStatus } from '../briefs/states.ts'

export const partStatuses = ['waiting', 'open', 'done', 'cancelled'] as const

/** A named division of a run, such as a workstream, with the data that its playbook keeps. */
export const Part = z.object({
  runId: z.string(),
  key: z.string().describe('Unique in its run'),
  parent: z.string().nullable(),
  status: z.enum(partStatuses),
  data: z.record(z.string(), z.unknown()).describe('Data that the playbook keeps with it; small'),
  head: z.string().nullable().describe('The newest commit of its branch'),
  domainHead: z.string().nullable().describe('The newest commit of the branch of its domain, once it is merged there'),
  heldBy: z.string().nullable().describe('merge: a merge in git is pending'),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Part = z.infer<typeof Part>

/** The number of briefs of a part by phase and status. */
export type Tally = Readonly<Record<string, Readonly<Partial<Record<BriefStatus, number>>>>>
