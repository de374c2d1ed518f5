import { agents, listAgentsOnSeat } from './agents/store.ts'
import { updated } from '../events/change.ts'
import type { AgentWork } from '../org/changes.ts'
import { checkFence } from './attempts/store.ts'
import { findRun } from './runs/store.ts'

/** Answers the organisation's questions about agents at work, so that `src/org` imports nothing of `src/work`. */
export const agentWork: AgentWork = {
  checkFence,
  findOrganisationOfRun: async (tx, runId) => (await findRun(tx, runId))?.organisationId,
  listSeatedAgents: async (tx, positionId) =>
    (await listAgentsOnSeat(tx, positionId)).map((agent) => ({
      id: agent.id,
      stream: agents.stream(agent),
      leaveSeat: updated(agents, agent, { positionId: null }),
    })),
}
