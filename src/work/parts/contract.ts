import { z } from 'zod'

import type { BriefStatus } from '../briefs/states.ts'

export const partStatuses = ['waiting', 'open', 'done', 'cancelled'] as const

/** What a playbook divides a run into, such as a workstream, and what it has to remember of it. */
export const Part = z.object({
  runId: z.string(),
  key: z.string().describe('Unique in its run'),
  parent: z.string().nullable(),
  status: z.enum(partStatuses),
  data: z.record(z.string(), z.unknown()).describe('Data that the playbook keeps with it; small'),
  head: z.string().nullable().describe('The newest commit of its branch'),
  heldBy: z.string().nullable().describe('merge: a merge in git is pending'),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Part = z.infer<typeof Part>

/** How many briefs of a part stand where, by phase. */
export type Tally = Readonly<Record<string, Readonly<Partial<Record<BriefStatus, number>>>>>
