import type { CliContext } from '../../cli/context.ts'
import { ago, bold, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Mission } from './contract.ts'

type MissionLine = Wire<Mission>

export interface CreateOptions {
  description?: string
  priority?: string
  acceptance?: string
  notes?: string
  tag?: string[]
  deliverable?: string[]
  deadline?: string
  org?: number
  json?: true
}

export async function createMission(context: CliContext, title: string, options: CreateOptions): Promise<number> {
  const mission = await context.api().post<MissionLine>('/missions', {
    title,
    description: options.description,
    priority: options.priority,
    acceptance: options.acceptance,
    context_notes: options.notes,
    tags: options.tag,
    deliverables: options.deliverable,
    deadline: options.deadline,
    organisation_id: options.org,
  })
  if (options.json) context.json(mission)
  else context.out(mission.id)
  return 0
}

export async function listMissions(context: CliContext, options: { status?: string; json?: true }): Promise<number> {
  const answer = await context.api().get<{ missions: MissionLine[] }>('/missions', { status: options.status })
  if (options.json) {
    context.json(answer)
    return 0
  }
  if (answer.missions.length === 0) {
    context.out(
      options.status === undefined
        ? 'no missions yet; agency mission create "<title>" writes one down'
        : `no missions are ${options.status}`,
    )
    return 0
  }
  const rows = answer.missions.map((mission) => [
    mission.id,
    statusText(context, mission.status),
    mission.priority,
    ago(mission.created_at, context.nowMs()),
    plain(mission.title),
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

export async function showMission(context: CliContext, id: string, options: { json?: true }): Promise<number> {
  const mission = await context.api().get<MissionLine>(`/missions/${encodeURIComponent(id)}`)
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
    ['deadline', mission.deadline ?? ''],
    ['workspace', mission.workspace_path ?? ''],
    ['outcome', mission.outcome_summary ?? ''],
    ['passed', mission.passed.map(({ status, at }) => `${status} ${ago(at, context.nowMs())}`).join(', ')],
  ] as const)
    if (value !== '') context.out(`${name.padEnd(12)} ${plain(value)}`)
  return 0
}

export async function setMission(
  context: CliContext,
  id: string,
  options: { status: string; reason?: string; json?: true },
): Promise<number> {
  const mission = await context
    .api()
    .patch<MissionLine>(`/missions/${encodeURIComponent(id)}`, { status: options.status, reason: options.reason })
  if (options.json) context.json(mission)
  else context.out(`${mission.id} ${mission.status}`)
  return 0
}
