import type { Db } from '../../db/port.ts'
import type { AgentView } from './contract.ts'
import { listAgents } from './store.ts'

export interface AgentDeps {
  db: Db
  /** Resolves a run from its id or a unique prefix. */
  resolveRun: (prefix: string) => Promise<string>
}

export type Agents = ReturnType<typeof createAgents>

export function createAgents({ db, resolveRun }: AgentDeps) {
  return {
    async list(run: string | undefined, limit: number, organisationId?: number): Promise<{ agents: AgentView[] }> {
      const runId = run === undefined ? undefined : await resolveRun(run)
      return { agents: await db.read((tx) => listAgents(tx, runId, limit, organisationId)) }
    },
  }
}
