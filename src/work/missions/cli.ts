import type { missionCreateCommand } from '../../cli/commands/mission/create.ts'
import type { missionListCommand } from '../../cli/commands/mission/list.ts'
import type { missionSetCommand } from '../../cli/commands/mission/set.ts'
import type { missionShowCommand } from '../../cli/commands/mission/show.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, bold, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { countText, moneyText } from '../../kernel/amounts.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import type { Mission, MissionLine } from './contract.ts'
import { missionEndpoints } from './endpoints.ts'

type ShownMission = Wire<Mission>

export const createMission: Handler<typeof missionCreateCommand> = async (context, title, options) => {
  const mission = await context.api().call<ShownMission>(missionEndpoints.create, {
    title,
    description: options.description,
    priority: options.priority,
    acceptance: options.acceptance,
    context_notes: options.notes,
    tags: options.tag,
    deliverables: options.deliverable,
    deadline: options.deadline,
    assignee: options.assignee,
    parent_mission: options.parent,
    token_budget: options.tokenBudget,
    cost_limit: options.costLimit,
    organisation_id: await organisationId(context, options.org),
  })
  if (options.json) context.json(mission)
  else context.out(mission.id)
  return 0
}

export const listMissions: Handler<typeof missionListCommand> = async (context, { status, org, json }) => {
  const answer = await context.api().call<{ missions: Wire<MissionLine>[] }>(missionEndpoints.list, {
    status,
    organisation_id: await organisationId(context, org),
  })
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.missions.length === 0) {
    context.out(
      status === undefined
        ? `no missions yet; 'agency mission create "<title>"' creates one`
        : `no missions are ${status}`,
    )
    return 0
  }
  const rows = answer.missions.map((mission) => [
    mission.id,
    statusText(context, mission.status),
    mission.priority,
    ago(mission.created_at, context.nowMs()),
    `${mission.simulated ? '(simulated) ' : ''}${plain(mission.title)}`,
  ])
  const columns = [
    { title: 'MISSION' },
    { title: 'STATUS' },
    { title: 'PRIORITY' },
    { title: 'CREATED', right: true },
    { title: 'TITLE', flexible: true },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

export const showMission: Handler<typeof missionShowCommand> = async (context, id, options) => {
  const mission = await context.api().call<ShownMission>(missionEndpoints.show, { mission_id: id })
  if (options.json) {
    context.json(mission)
    return 0
  }
  context.out(
    [bold(context, mission.id), statusText(context, mission.status), mission.priority, mission.playbook].join('  '),
  )
  for (const [name, value] of [
    ['title', mission.title],
    ['description', mission.description],
    ['acceptance', mission.acceptance],
    ['notes', mission.context_notes],
    ['tags', mission.tags.join(', ')],
    ['deliver', mission.deliverables.join(', ')],
    ['part of', mission.parent_mission ?? ''],
    ['tokens', mission.token_budget === null ? '' : `at most ${countText(mission.token_budget)}`],
    ['cost', mission.cost_limit === null ? '' : `at most ${moneyText(mission.cost_limit * 1e6)}`],
    ['deadline', mission.deadline ?? ''],
    ['workspace', mission.workspace_path ?? ''],
    ['outcome', mission.outcome_summary ?? ''],
    ['passed', mission.passed.map(({ status, at }) => `${status} ${ago(at, context.nowMs())}`).join(', ')],
  ] as const)
    if (value !== '') context.out(`${name.padEnd(12)} ${plain(value)}`)
  return 0
}

export const setMission: Handler<typeof missionSetCommand> = async (context, id, { status, reason, json }) => {
  const mission = await context.api().call<ShownMission>(missionEndpoints.update, { mission_id: id, status, reason })
  if (json) context.json(mission)
  else context.out(`${mission.id} ${mission.status}`)
  return 0
}
