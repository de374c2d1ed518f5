import type { CliContext } from '../../cli/context.ts'
import { ago, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { AgentView } from './contract.ts'

export interface AgentsOptions {
  run?: string
  limit?: number
  json?: true
}

export async function listAgents(context: CliContext, options: AgentsOptions): Promise<number> {
  const { run, limit } = options
  const answer = await context.api().get<{ agents: Wire<AgentView>[] }>('/agents', { run_id: run, limit })
  if (options.json) {
    context.json(answer)
    return 0
  }
  if (answer.agents.length === 0) {
    context.out(run === undefined ? 'nobody is at work' : 'nobody was at work for it yet')
    return 0
  }
  const columns = [
    { title: 'AGENT', right: true },
    { title: 'STATE' },
    { title: 'TIER' },
    { title: 'PERSONA' },
    { title: 'RUNTIME' },
    { title: 'OUTCOME' },
    { title: 'SINCE', right: true },
    { title: 'BRIEF', flexible: true },
  ] as const
  const rows = answer.agents.map((agent) => [
    String(agent.agent_id),
    statusText(context, agent.state, agent.state === 'closed' ? 'idle' : 'working'),
    agent.tier?.toUpperCase() ?? '–',
    plain(agent.persona),
    plain(agent.runtime),
    agent.outcome ?? '–',
    ago(agent.created_at, context.nowMs()),
    plain(agent.brief),
  ])
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}
