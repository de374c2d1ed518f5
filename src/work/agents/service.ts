import type { Db, ReadTx } from '../../db/port.ts'
import { bug, notFound } from '../../kernel/errors.ts'
import type { AttemptFiles, StoredPrompt } from '../attempts/files.ts'
import { findAttempt } from '../attempts/store.ts'
import type { AgentPrompt, AgentView, SentText } from './contract.ts'
import { findAgent, listAgents } from './store.ts'

export interface AgentDeps {
  db: Db
  /** Resolves a run from its id or a unique prefix. */
  resolveRun: (prefix: string) => Promise<string>
  files: Pick<AttemptFiles, 'readPrompts'>
}

export type Agents = ReturnType<typeof createAgents>

export function createAgents({ db, resolveRun, files }: AgentDeps) {
  return {
    async list(run: string | undefined, limit: number, organisationId?: number): Promise<{ agents: AgentView[] }> {
      const runId = run === undefined ? undefined : await resolveRun(run)
      return { agents: await db.read((tx) => listAgents(tx, runId, limit, organisationId)) }
    },

    show: (agentId: number): Promise<AgentView> => db.read((tx) => requireAgent(tx, agentId)),

    async prompt(agentId: number): Promise<AgentPrompt> {
      const attempt = await db.read(async (tx) => findAttempt(tx, (await requireAgent(tx, agentId)).attemptId))
      if (attempt === undefined) throw bug(`agent ${agentId} has no attempt`)
      const { prompt, systemPrompt } = await files.readPrompts(attempt.id)
      return {
        agentId,
        attemptId: attempt.id,
        runtime: attempt.runtime,
        systemPrompt: sentText(systemPrompt, attempt.systemPromptSha256),
        prompt: sentText(prompt, attempt.promptSha256),
      }
    },
  }
}

/** A daemon that dies between the start of an agent and its record leaves a file without a hash. */
function sentText(stored: StoredPrompt | null, sha256: string | null): SentText | null {
  if (stored === null && sha256 === null) return null
  return {
    text: stored?.text ?? null,
    sha256,
    changed: stored !== null && sha256 !== null && stored.sha256 !== sha256,
  }
}

async function requireAgent(tx: ReadTx, agentId: number): Promise<AgentView> {
  const agent = await findAgent(tx, agentId)
  if (agent === undefined) throw notFound('agent', String(agentId), 'List them with "agency agent list --run <run>".')
  return agent
}
