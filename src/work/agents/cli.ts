import type { agentListCommand } from '../../cli/commands/agent/list.ts'
import type { agentShowCommand } from '../../cli/commands/agent/show.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, bold, faint, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import type { AgentPrompt, AgentView, SentText } from './contract.ts'
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

export const showAgent: Handler<typeof agentShowCommand> = async (context, agent, { prompt, json }) => {
  if (prompt) return showPrompt(context, agent, json)
  const view = await context.api().call<Wire<AgentView>>(agentEndpoints.show, { agent_id: agent })
  if (json) {
    context.json(view)
    return 0
  }
  const about = [
    statusText(context, view.state, view.state === 'closed' ? 'idle' : 'working'),
    view.tier?.toUpperCase() ?? '',
    plain(view.persona),
    plain(view.runtime),
    view.outcome ?? '',
    ago(view.created_at, context.nowMs()),
  ]
  context.out(`${bold(context, `agent ${view.agent_id}`)}  ${about.filter((part) => part !== '').join('  ')}`)
  context.out(`  ${plain(view.brief)}  ${faint(context, `${view.run_id}  ${view.brief_id}  ${view.attempt_id}`)}`)
  context.out(`  What it was sent: agency agent show ${view.agent_id} --prompt`)
  return 0
}

async function showPrompt(context: CliContext, agent: string, json: boolean | undefined): Promise<number> {
  const sent = await context.api().call<Wire<AgentPrompt>>(agentEndpoints.prompt, { agent_id: agent })
  if (json) {
    context.json(sent)
    return 0
  }
  printText(context, 'System prompt', sent.system_prompt)
  context.out('')
  printText(context, 'Prompt', sent.prompt)
  return 0
}

/** Prints a text unchanged below a heading that no line of Markdown looks like. */
function printText(context: CliContext, title: string, sent: Wire<SentText> | null): void {
  const { text = null, sha256 = null } = sent ?? {}
  const size = text === null ? '' : `, ${Buffer.byteLength(text)} bytes`
  const hash = sha256 === null ? '' : `, sha256 ${sha256}`
  context.out(bold(context, `══ ${title}${size}${hash} ══`))
  if (sent?.changed === true) context.out('This file was changed after it was sent: its hash is another one.')
  if (text === null) context.out(sent === null ? '(none is stored)' : '(its file is gone)')
  else context.text(text.endsWith('\n') ? text : `${text}\n`)
}
