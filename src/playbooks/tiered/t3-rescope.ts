import { counted } from '../../kernel/amounts.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { Decision, Needs, PartChange, View } from '../contract.ts'
import { logEscalation, refOf, resolveStep, type Rung } from './escalate-ladder.ts'
import { meshPart, renamedSquads, squadPart } from './base-names.ts'
import { refName } from './t3-mesh.ts'
import { settingsOf } from './base-settings.ts'
import { type Given, meshTimer, openMesh } from './t3-squads.ts'
import { above, budgetOf, changed, dataOf, type MeshData, own, type SquadRef, waveNumber } from './base-state.ts'
import { addStep, line, log } from './base-steps.ts'
import { bullets } from './base-text.ts'
import { dataOfBrief } from './contract.ts'

export const timerNeeds = (view: View): Needs => rescopeNeeds(view)

export function rescopeNeeds(view: View): Needs {
  const mesh = own(view)
  const { squads } = dataOf<MeshData>(mesh)
  return {
    members: [mesh.key, ...squads.map(({ workstream, squad }) => squadPart(workstream, squad))],
    partsBelow: [above(view, 'wave:').key],
  }
}

/** Ends a mesh whose squads did not agree in time. No draft is forced through: the owner of the domain redraws the scopes. */
export function onMeshTimeout(view: View): readonly Decision[] {
  const mesh = own(view)
  const data = dataOf<MeshData>(mesh)
  if (mesh.status !== 'open' || data.committed.length === data.squads.length) return []
  const leads = (view.found.members[mesh.key] ?? []).filter(
    (brief) => dataOfBrief(brief).tier === 't3' && brief.phase !== 'resolve' && brief.status !== 'cancelled',
  )
  if (!isOverdue(view, leads)) return [...startAgain(view, mesh)]
  const late = leads.filter(({ status }) => status !== 'verified')
  const timeouts = data.timeouts + 1
  const message = `${counted(late.length, 'squad lead')} did not commit in time: ${late.map((brief) => dataOfBrief(brief).label).join(', ')}`
  return [
    log(
      {
        kind: 'mesh_timeout',
        ...line('T3', 'MESH_TIMEOUT', message, {
          data: { class: 'mesh_timeout', used: timeouts, limit: budgetOf(view) },
        }),
      },
      [changed<MeshData>(mesh, { timeouts }, 'cancelled'), ...cancelledSquads(data)],
    ),
    ...cancelMesh(view, mesh, 'the scopes of its mesh are redrawn'),
    ...handOver(view, mesh, timeouts, message),
  ]
}

/** Reports whether the squad leads are late. A lead that has not started, waits or is held back is not. */
function isOverdue({ run }: View, leads: readonly Brief[]): boolean {
  if (run.status === 'paused' || run.status === 'gated' || run.briefsFailed > 0) return false
  return (
    leads.some(({ attempts }) => attempts > 0) &&
    leads.every(({ status, unmetDependencies }) => status !== 'blocked' && unmetDependencies === 0)
  )
}

function startAgain(view: View, mesh: Part): Decision[] {
  const { meshMinutes } = settingsOf(view.run)
  return meshMinutes === null ? [] : [{ kind: 'start_timer', name: meshTimer, part: mesh.key, minutes: meshMinutes }]
}

const cancelledSquads = ({ squads }: MeshData): PartChange[] =>
  squads.map(({ workstream, squad }) => ({ key: squadPart(workstream, squad), status: 'cancelled' }))

function cancelMesh(view: View, mesh: Part, reason: string): Decision[] {
  const { squads } = dataOf<MeshData>(mesh)
  const parts = [mesh.key, ...squads.map(({ workstream, squad }) => squadPart(workstream, squad))]
  const briefs = parts
    .flatMap((part) => view.found.members[part] ?? [])
    .filter(({ status, phase }) => status !== 'cancelled' && status !== 'done' && phase !== 'resolve')
  return briefs.length === 0 ? [] : [{ kind: 'cancel_briefs', briefs, reason }]
}

/** Hands the mesh to T2, as often as its own retry budget allows; then to T1 once; then to the operator. */
function handOver(view: View, mesh: Part, timeouts: number, message: string): readonly Decision[] {
  const { path, squads, isByT1 } = dataOf<MeshData>(mesh)
  const workstream = (squads[0] as SquadRef).workstream
  const isUsedUp = timeouts > budgetOf(view)
  const hasT2 = path.includes('t2')
  if (isByT1 || (isUsedUp && !hasT2)) return [askOperator(mesh, message)]
  const rung: Rung = hasT2 && !isUsedUp ? 't2' : 't1'
  const approver = refOf(rung, workstream)
  return [
    ...(isUsedUp
      ? [
          logEscalation({
            from: `t2/${workstream}`,
            to: 't1',
            class: 'mesh_timeout',
            reason: message,
            tier: 'T2',
            workstream,
          }),
        ]
      : []),
    {
      kind: 'open_gate',
      gate: 't3_mesh_timeout',
      part: mesh.key,
      approver,
      timeoutMinutes: null,
      summary: {
        produced: message,
        next: `${approver} redraws the scopes; then the squads plan again.`,
        anomalies: [],
      },
    },
    addStep(
      view,
      resolveStep({
        key: `resolve:${mesh.key}:${timeouts}`,
        rung,
        ladder: rung === 't2' ? ['t2_lead', 't1'] : [],
        part: mesh.key,
        workstream,
        about: { kind: 'mesh', key: mesh.key },
        title: 'Redraw the scopes of the squads',
        objective: `${message}. Define other squads, with scopes that do not overlap.`,
        inputs: { squads, drafts: draftsOf(view, mesh), tier_path: path },
      }),
    ),
  ]
}

const draftsOf = (view: View, mesh: Part): unknown[] =>
  dataOf<MeshData>(mesh).squads.map((ref) => ({
    squad: refName(ref),
    tasks: (view.found.members[squadPart(ref.workstream, ref.squad)] ?? [])
      .filter(({ phase }) => phase === 't4')
      .slice(0, 100)
      .map((brief) => ({ id: brief.inputs['task_id'], title: brief.title, files: dataOfBrief(brief).files })),
  }))

export const askOperator = (mesh: Part, message: string): Decision => ({
  kind: 'open_gate',
  gate: 'escalation',
  part: mesh.key,
  timeoutMinutes: null,
  summary: {
    produced: [
      message,
      'Squads:',
      bullets(
        dataOf<MeshData>(mesh).squads.map((ref) => `${refName(ref)}: ${ref.scope}`),
        20,
      ),
    ].join('\n'),
    next: 'Approve to let the squads plan once more from the start, without a time limit; reject to abandon the run.',
    anomalies: ['The squads did not agree, even after their scopes were redrawn.'],
  },
  message: '⏸ The squads do not agree — waiting on the operator',
})

export interface Rescoped {
  /** The new squads; undefined keeps the present ones. */
  readonly squads?: readonly SquadRef[] | undefined
  readonly isByT1: boolean
  readonly timeouts: number
  readonly isPatient?: boolean
  readonly guidance?: string | undefined
  /** The brief that a squad replaces, by `<workstream>/<squad>`. */
  readonly replaces?: ReadonlyMap<string, string>
}

/** Opens a new mesh, in which other squads plan, or the same ones again. */
export function rescope(
  view: View,
  mesh: Part,
  { squads, isByT1, timeouts, isPatient = false, guidance, replaces }: Rescoped,
): readonly Decision[] {
  const wave = above(view, 'wave:')
  const data = dataOf<MeshData>(mesh)
  const first = meshPart(waveNumber(wave), data.path, data.domain, 1)
  const meshes = (view.found.partsBelow[wave.key] ?? []).filter(({ key }) => key.startsWith('mesh:'))
  const before = meshes.filter(({ key }) => key === first || key.startsWith(`${first}:r`))
  const revision = before.length + 1
  const renamed = renamedSquads(
    (squads ?? data.squads).map((ref) => ({ ...ref, was: refName(ref) })),
    `r${revision}`,
    meshes.flatMap((each) => dataOf<MeshData>(each).squads),
  )
  const given = new Map<string, Given>()
  for (const { phase, groupKey: workstream, ownerId, inputs } of view.found.members[mesh.key] ?? []) {
    if (phase !== 't3_plan' || workstream === null || given.has(workstream)) continue
    given.set(workstream, {
      ownerId,
      inputs: { ...inputs, ...(guidance === undefined ? {} : { guidance_from_above: guidance }) },
    })
  }
  const others = new Map(
    renamed.flatMap(({ was, workstream, squad }) => {
      const replaced = replaces?.get(was)
      return replaced === undefined ? [] : [[`${workstream}/${squad}`, replaced] as const]
    }),
  )
  const kept = renamed.map(({ workstream, squad, name, scope }): SquadRef => ({ workstream, squad, name, scope }))
  const next: MeshData = { ...data, squads: kept, committed: [], revision, timeouts, isByT1, isPatient }
  return openMesh(view, waveNumber(wave), next, given, others)
}

/** Replaces the squad of a blocked lead by others, as the owner of its domain has decided. */
export function replaceSquad(
  view: View,
  mesh: Part,
  stuck: Brief,
  squads: readonly SquadRef[],
  guidance: string,
): readonly Decision[] {
  const data = dataOf<MeshData>(mesh)
  const name = (stuck.inputs['squad'] as { id: string }).id
  const old = refName({ workstream: dataOfBrief(stuck).workstream as string, squad: name })
  const others = data.squads.filter((ref) => refName(ref) !== old)
  return [
    log(
      {
        tier: 'T2',
        workstream: dataOfBrief(stuck).workstream as string,
        message: `${old} is replaced by ${counted(squads.length, 'squad')}`,
      },
      [changed<MeshData>(mesh, {}, 'cancelled'), ...cancelledSquads(data)],
    ),
    ...cancelMesh(view, mesh, `${old} is planned by others`),
    ...rescope(view, mesh, {
      squads: [...others, ...squads],
      isByT1: data.isByT1,
      timeouts: data.timeouts,
      guidance,
      replaces: new Map(squads.map((ref) => [refName(ref), stuck.id])),
    }),
  ]
}
