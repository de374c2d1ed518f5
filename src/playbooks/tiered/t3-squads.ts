import { slug } from '../../kernel/text.ts'
import type { Decision, PartChange, View } from '../contract.ts'
import type { Squad, Task, Workstream } from './contract.ts'
import { keys, meshPart, squadPart, wavePart, workstreamPart } from './base-names.ts'
import { settingsOf } from './base-settings.ts'
import type { MeshData, SquadData, SquadRef, WorkstreamData } from './base-state.ts'
import { addStep, line, type Step, log } from './base-steps.ts'
import { keysOf, taskBriefs } from './t4-tasks.ts'

/** A workstream that starts now. */
export interface Stream {
  readonly id: string
  readonly data: WorkstreamData
  /** The squads that build it; undefined means one squad. */
  readonly squads?: readonly Squad[]
  /** Inputs of its squads from the architecture. */
  readonly slice?: Readonly<Record<string, unknown>>
  readonly planned: Workstream | undefined
  readonly ownerId: string | null
}

/** Opens workstreams: squads plan where T3 is on the path; otherwise the workstream is a single task. */
export function openStreams(view: View, wave: number, streams: readonly Stream[]): readonly Decision[] {
  const single = streams.filter(({ data }) => !data.path.includes('t3'))
  const meshes = Map.groupBy(
    streams.filter(({ data }) => data.path.includes('t3')),
    ({ data }) => `${data.path.includes('t2') ? 't2' : 't3'}:${slug(data.domain)}`,
  )
  return [
    ...single.flatMap((stream) => openTask(view, stream)),
    ...[...meshes.values()].flatMap((group) =>
      openMesh(view, wave, meshOf(view, wave, group), new Map(group.map((stream) => [stream.id, givenBy(stream)]))),
    ),
  ]
}

function openTask(view: View, { id, data, squads, slice, planned, ownerId }: Stream): readonly Decision[] {
  const { run } = view
  const squad = squads?.[0]?.id ?? 'main'
  const task: Task = {
    id,
    title: data.name,
    scope: id,
    objective: [run.goalAnchor, data.name, planned?.notes ?? ''].filter(Boolean).join('\n\n'),
    files: [],
    mode: 'swarm',
    depends_on: [],
    evidence_required: planned?.evidence_required ?? [],
    agent_personality: null,
  }
  const of = { workstream: id, squad, domain: data.domain, path: data.path, ownerId }
  const briefs = taskBriefs(view, of, [task], keysOf(of, [task], []), { workers: 0, status: 'pending' })
  return [
    log(line('T4', 'SWARM_START', '1 implementer may start', { workstream: id }), [
      squadChange(id, squad, { path: data.path, mesh: null, workers: 1 }),
    ]),
    { kind: 'add_briefs', briefs: briefs.map((brief) => ({ ...brief, inputs: { ...brief.inputs, ...slice } })) },
  ]
}

function squadChange(
  workstream: string,
  squad: string,
  data: Pick<SquadData, 'path' | 'mesh' | 'workers'>,
): PartChange {
  const whole: SquadData = { escalations: 0, ...data }
  return {
    key: squadPart(workstream, squad),
    parent: workstreamPart(workstream),
    status: 'open',
    data: { ...whole },
  }
}

function meshOf(view: View, wave: number, streams: readonly Stream[]): MeshData {
  const { domain, path } = (streams[0] as Stream).data
  const first = meshPart(wave, path, domain, 1)
  const before = (view.found.partsBelow[wavePart(wave)] ?? []).filter(
    ({ key }) => key === first || key.startsWith(`${first}:r`),
  )
  const squads = streams.flatMap(({ id, data, squads: given }) =>
    (given ?? [{ id: 'main', name: data.name, scope: data.name }]).map(({ id: squad, name, scope }): SquadRef => ({
      workstream: id,
      squad,
      name,
      scope,
    })),
  )
  return { domain, path, squads, committed: [], revision: before.length + 1, timeouts: 0, isByT1: false }
}

/** Inputs that all squads of a workstream share. */
export interface Given {
  readonly ownerId: string | null
  readonly inputs: Readonly<Record<string, unknown>>
}

const givenBy = ({ ownerId, planned, slice }: Stream): Given => ({
  ownerId,
  inputs: { notes: planned?.notes ?? '', ...slice },
})

/** Opens a mesh: each squad's lead drafts its tasks, then the leads agree on them. */
export function openMesh(
  view: View,
  wave: number,
  mesh: MeshData,
  given: ReadonlyMap<string, Given>,
  replaces: ReadonlyMap<string, string> = new Map(),
): readonly Decision[] {
  const part = meshPart(wave, mesh.path, mesh.domain, mesh.revision)
  const { meshMinutes } = settingsOf(view.run)
  const names = [...new Set(mesh.squads.map(({ workstream }) => workstream))]
  const leads = mesh.squads.length
  const message =
    leads === 1
      ? `${names[0]}: 1 squad lead plans its tasks`
      : `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}: ${leads} squad leads negotiating task boundaries`
  const steps = mesh.squads.map((ref): Step => {
    const { ownerId, inputs } = given.get(ref.workstream) as Given
    return {
      key: keys.squadPlan(ref.workstream, ref.squad),
      phase: 't3_plan',
      tier: 't3',
      title: `Plan the tasks of ${ref.name}`,
      objective: `Divide "${ref.scope}" into atomic tasks: one file, one function or one test each.`,
      part,
      label: `squad ${ref.workstream}/${ref.squad}`,
      workstream: ref.workstream,
      ownerId,
      domain: mesh.domain,
      replaces: replaces.get(`${ref.workstream}/${ref.squad}`) ?? null,
      // A replacement waits for the same specialist as the squad it replaces.
      ...(Array.isArray(inputs['waits_for']) ? { after: inputs['waits_for'] as string[] } : {}),
      inputs: {
        ...inputs,
        workstream: ref.workstream,
        squad: { id: ref.squad, name: ref.name, scope: ref.scope },
        tier_path: mesh.path,
      },
    }
  })
  return [
    log(line('T3', 'MESH_START', message, names.length === 1 ? { workstream: names[0] as string } : {}), [
      { key: part, parent: wavePart(wave), status: 'open', data: { ...mesh } },
      ...mesh.squads.map(({ workstream, squad }) =>
        squadChange(workstream, squad, { path: mesh.path, mesh: part, workers: 0 }),
      ),
    ]),
    addStep(view, ...steps),
    ...(meshMinutes === null || mesh.isPatient === true
      ? []
      : [{ kind: 'start_timer', name: meshTimer, part, minutes: meshMinutes } satisfies Decision]),
  ]
}

export const meshTimer = 't3_mesh_timeout'
