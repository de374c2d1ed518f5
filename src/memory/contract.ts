import { z } from 'zod'

import { operation } from '../operations/contract.ts'
import { OfOrganisation } from '../org/references.contract.ts'
import { memoryEndpoints } from './endpoints.ts'

/** The types of a mission's memories: an answered question, or a settled note that needed no question. */
export const memoryTypes = ['question', 'note'] as const
export const MemoryType = z.enum(memoryTypes)
export type MemoryType = z.infer<typeof MemoryType>

/** A question or a doubt of a mission's runs with its answer. It is read from the row in which it was recorded. */
export const MissionMemory = z.object({
  id: z.string().describe('Of the question, or of the note'),
  type: MemoryType,
  runId: z.string(),
  briefId: z.string().nullable(),
  noteId: z.string().nullable().describe('The note that was settled, such as note_001 of the run'),
  text: z.string(),
  context: z.string(),
  askedBy: z.string(),
  askedAt: z.string(),
  answer: z.string().describe('The label of the chosen option, or the words of the answer'),
  answeredBy: z.string(),
  at: z.string().describe('When it was answered or settled'),
})
export type MissionMemory = z.infer<typeof MissionMemory>

export const memoryOperations = {
  mission: operation({
    name: 'memory.mission',
    summary: 'List the answered questions and settled notes of a mission, newest first; an agent reads its own mission',
    ...memoryEndpoints.mission,
    input: z.strictObject({
      missionId: z.string().max(100).describe('The operator gives the id or a unique prefix; an agent "own"'),
      type: MemoryType.optional(),
      organisationId: OfOrganisation.describe('Refuse a mission of another organisation'),
      limit: z.coerce.number().int().min(1).max(500).default(100),
      before: z.string().max(100).optional().describe('For the next page: the id of the last entry'),
    }),
    output: z.object({ missionId: z.string(), memories: z.array(MissionMemory), total: z.number().int() }),
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 5, burst: 100 },
    tool: 'memory_mission',
  }),
}
