import type { agentListCommand } from '../../cli/commands/agent/list.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import type { AgentView } from './contract.ts'
import { agentEndpoints } from './endpoints.ts'

export const listAgents: Handler<typeof agentListCommand> = async (context, { run, limit, org, json }) => {
  const answer = await context.api().call<{ agents: Wire<AgentView>[] }>(agentEndpoints.list, {
    run_id: run,
    limit,
    organisation_id: await organisationId(context, org),
  })
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.agents.length === 0) {
    context.out(run === undefined ? 'no agent is at work' : 'the run has had no agents yet')
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
