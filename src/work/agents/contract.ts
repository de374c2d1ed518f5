import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OfOrganisation } from '../../org/references.contract.ts'
import { agentEndpoints } from './endpoints.ts'

/** One live session of a persona on a runtime; for now, one per attempt. */
export const Agent = z.object({
  id: z.number().int(),
  personaId: z.number().int(),
  positionId: z.number().int().nullable(),
  previousAgentId: z.number().int().nullable(),
  runId: z.string().nullable(),
  runtime: z.string(),
  state: z.enum(['starting', 'working', 'ended']),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
})
export type Agent = z.infer<typeof Agent>

/** The name of a persona that works in a run. */
export const PersonaInRun = z.object({
  personaId: z.number().int(),
  name: z.string(),
  slug: z.string(),
  role: z.string(),
})
export type PersonaInRun = z.infer<typeof PersonaInRun>

/** An agent with the brief and outcome of its attempt. It keeps its persona after it is closed. */
export const AgentView = z.object({
  agentId: z.number().int(),
  persona: z.string().describe('Its slug'),
  state: z.enum(['starting', 'working', 'closed']),
  runtime: z.string(),
  runId: z.string(),
  attemptId: z.string(),
  briefId: z.string(),
  brief: z.string().describe('Its key in the run'),
  tier: z.string().nullable(),
  workstream: z.string().nullable(),
  outcome: z.string().nullable().describe('The outcome of its attempt'),
  createdAt: z.string(),
  closedAt: z.string().nullable(),
})
export type AgentView = z.infer<typeof AgentView>

/** A text that an agent was sent, as it is stored now. */
export const SentText = z.object({
  text: z.string().nullable().describe('Null: its file is gone'),
  sha256: z.string().nullable().describe('Recorded when the agent started; null: its start was not recorded'),
  changed: z.boolean().describe('The file has another hash than the recorded one: somebody has changed it'),
})
export type SentText = z.infer<typeof SentText>

export const AgentPrompt = z.object({
  agentId: z.number().int(),
  attemptId: z.string(),
  runtime: z.string(),
  systemPrompt: SentText.nullable().describe('Null: none is stored'),
  prompt: SentText.nullable().describe('Null: none is stored, because the agent has not started'),
})
export type AgentPrompt = z.infer<typeof AgentPrompt>

const OfAgent = z.strictObject({ agentId: z.coerce.number().int().positive() })

export const agentOperations = {
  list: operation({
    name: 'agent.list',
    summary: 'List the agents of a run, or all running agents; agents of an ended run are closed',
    ...agentEndpoints.list,
    input: z.strictObject({
      runId: z.string().max(100).optional().describe('The id or a prefix'),
      organisationId: OfOrganisation,
      limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
    }),
    output: z.object({ agents: z.array(AgentView) }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'agent.show',
    summary: 'Show an agent with its brief and outcome',
    ...agentEndpoints.show,
    input: OfAgent,
    output: AgentView,
    allow: ['operator'],
  }),
  prompt: operation({
    name: 'agent.prompt',
    summary: 'Show every text that an agent was sent at its start: its system prompt and its prompt',
    ...agentEndpoints.prompt,
    input: OfAgent,
    output: AgentPrompt,
    allow: ['operator'],
  }),
}
