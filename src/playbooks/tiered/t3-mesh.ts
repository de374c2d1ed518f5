import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { isLargePlan } from '../../work/runs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { Decision, Needs, PartChange, View } from '../contract.ts'
import { type Task, type TaskList, dataOfBrief } from './contract.ts'
import { documents, keys, squadPart, workstreamPart } from './base-names.ts'
import { settingsOf } from './base-settings.ts'
import {
  changed,
  changedRun,
  dataOf,
  ended,
  type MeshData,
  own,
  type SquadData,
  type SquadRef,
  unaskedOf,
  unsettled,
} from './base-state.ts'
import { addStep, passStep, line, type Step, log } from './base-steps.ts'
import { tasksSummary } from './base-gate-summary.ts'
import {
  faultsOfTasks,
  inputsOf,
  keysOf,
  type Overlaps,
  overlapsOf,
  revised,
  taskBriefs,
  taskIdOf,
  whatOf,
} from './t4-tasks.ts'
import { listed } from './base-text.ts'

/** `<workstream>/<squad>` */
export const refName = ({ workstream, squad }: Pick<SquadRef, 'workstream' | 'squad'>): string =>
  `${workstream}/${squad}`

const refOfBrief = (brief: Brief): { workstream: string; squad: string } => ({
  workstream: dataOfBrief(brief).workstream as string,
  squad: (brief.inputs['squad'] as { id: string }).id,
})

const documentsOf = (squads: readonly SquadRef[]): string[] =>
  squads.map(({ workstream, squad }) => documents.tasks(workstream, squad))

export function meshFaultNeeds(view: View, brief: Brief): Needs {
  if (brief.phase !== 't3_mesh') return {}
  const { squads, committed } = dataOf<MeshData>(own(view))
  return { documents: documentsOf(squads.filter((ref) => committed.includes(refName(ref)))) }
}

/** Returns the faults of a task list, including tasks that a peer has already committed. */
export function faultsOfList(view: View, brief: Brief, { tasks }: TaskList): string[] {
  if (brief.phase !== 't3_mesh') return faultsOfTasks(tasks)
  const { workstream, squad } = refOfBrief(brief)
  const { squads, committed } = dataOf<MeshData>(own(view))
  const peers = squads.filter(
    (ref) => committed.includes(refName(ref)) && refName(ref) !== refName({ workstream, squad }),
  )
  const { claimed } = overlapsOf(tasks, listsOf(view, peers))
  const nameOf = (peer: string): string =>
    peer.startsWith(`${workstream}/`) ? peer.slice(workstream.length + 1) : peer
  const overlaps = [...claimed]
    .slice(0, mostFaults)
    .flatMap(([claim, theirs]) => [...theirs.keys()].map((peer) => `overlap: ${whatOf(claim)} with t3/${nameOf(peer)}`))
  // An empty list is allowed: peers may have all tasks.
  return [...(tasks.length === 0 ? [] : faultsOfTasks(tasks)), ...new Set(overlaps)]
}

/** Maximum number of faults in one correction. */
const mostFaults = 200

function listsOf(view: View, squads: readonly SquadRef[]): Map<string, readonly Task[]> {
  return new Map(
    squads.map((ref) => {
      const list = view.found.documents[documents.tasks(ref.workstream, ref.squad)] as TaskList | undefined
      return [refName(ref), list?.tasks ?? []]
    }),
  )
}

export const draftNeeds = (brief: Brief): Needs => {
  const { workstream, squad } = refOfBrief(brief)
  const part = squadPart(workstream, squad)
  return { members: [part], parts: [part], documents: [documents.tasks(workstream, squad)] }
}

/** Turns a task list into rows: adds new tasks, revises known ones, cancels removed ones. */
export function onTaskList(view: View, brief: Brief, { tasks }: TaskList): readonly Decision[] {
  const ref = refOfBrief(brief)
  const part = view.found.parts[squadPart(ref.workstream, ref.squad)] as Part
  const { workers, path } = dataOf<SquadData>(part)
  const members = view.found.members[part.key] ?? []
  const ids = new Set(tasks.map(({ id }) => id))
  const open = members.filter(({ phase, status }) => phase === 't4' && status === 'draft')
  const gone = open.filter((draft) => !ids.has(taskIdOf(draft)))
  const kept = new Map(open.filter((draft) => ids.has(taskIdOf(draft))).map((draft) => [taskIdOf(draft), draft]))
  const released = new Set(gone)
  const left = members.map((each) => (released.has(each) ? { ...each, status: 'cancelled' as const } : each))
  const named = keysOf(ref, tasks, left)
  const fresh = tasks.filter(({ id }) => !kept.has(id))
  const of = { ...ref, path, domain: dataOf<MeshData>(own(view)).domain, ownerId: brief.id }
  const name = documents.tasks(ref.workstream, ref.squad)
  const before = new Map((view.found.documents[name] as TaskList | undefined)?.tasks.map((task) => [task.id, task]))
  const altered = tasks.filter(
    (task) => kept.has(task.id) && JSON.stringify(task) !== JSON.stringify(before.get(task.id)),
  )
  return [
    { kind: 'write_document', brief, name, content: { tasks } },
    ...(gone.length === 0
      ? []
      : [{ kind: 'cancel_briefs', briefs: gone, reason: 'its squad lead dropped it' } satisfies Decision]),
    ...(fresh.length === 0
      ? []
      : [
          {
            kind: 'add_briefs',
            briefs: taskBriefs(view, of, fresh, named, { workers, status: 'draft' }),
          } satisfies Decision,
        ]),
    ...altered.flatMap((task): Decision[] => {
      const draft = kept.get(task.id) as Brief
      return [
        { kind: 'amend_brief', brief: draft, inputs: inputsOf(of, task) },
        { kind: 'amend_brief', brief: draft, draft: revised(task, named) },
      ]
    }),
    log(line('T3', 'DRAFT', `${refName(ref)}: ${counted(tasks.length, 'task')} drafted`, { level: 'verbose', brief }), [
      changed<SquadData>(part, { workers: workers + fresh.length }),
    ]),
    passStep(brief),
  ]
}

/** Reports whether the last brief of a phase has settled; the current one counts as settled. */
const isLast = (view: View, phase: string): boolean => unsettled(view, phase, ended) === 0

export function agreementNeeds(view: View, brief: Brief): Needs {
  const mesh = own(view)
  const { squads, committed } = dataOf<MeshData>(mesh)
  const mine = squadPart(refOfBrief(brief).workstream, refOfBrief(brief).squad)
  if (brief.phase === 't3_plan' && !isLast(view, 't3_plan')) return {}
  const isWhole = brief.phase === 't3_plan' ? squads.length === 1 : committed.length === squads.length - 1
  return {
    members: isWhole
      ? [mesh.key, ...squads.map(({ workstream, squad }) => squadPart(workstream, squad))]
      : [mesh.key, mine],
    documents: brief.phase === 't3_plan' || isWhole ? documentsOf(squads) : [],
    amendments: settingsOf(view.run).gates.t3Plan,
  }
}

/** Handles a finished list: a squad with peers compares lists first, a single squad commits at once. */
export function onTaskListVerified(view: View, brief: Brief): readonly Decision[] {
  const mesh = own(view)
  const { squads } = dataOf<MeshData>(mesh)
  if (mesh.status !== 'open') return []
  if (brief.phase === 't3_mesh') return commit(view, mesh, brief)
  if (!isLast(view, 't3_plan')) return []
  return squads.length === 1 ? commit(view, mesh, brief) : [reconcile(view, mesh)]
}

function reconcile(view: View, mesh: Part): Decision {
  const { squads } = dataOf<MeshData>(mesh)
  const lists = listsOf(view, squads)
  const planners = new Map(
    (view.found.members[mesh.key] ?? [])
      .filter(({ phase, status }) => phase === 't3_plan' && status !== 'cancelled')
      .map((planner) => [refName(refOfBrief(planner)), planner]),
  )
  return addStep(
    view,
    ...squads.map((ref): Step => {
      const planner = planners.get(refName(ref)) as Brief
      const own_ = lists.get(refName(ref)) ?? []
      const peers = new Map([...lists].filter(([name]) => name !== refName(ref)))
      const overlaps = overlapsOf(own_, peers)
      return {
        key: keys.squadMesh(ref.workstream, ref.squad),
        phase: 't3_mesh',
        tier: 't3',
        title: `Agree on the tasks of ${ref.name}`,
        objective: 'Compare your tasks with those of your peers, drop duplicates, and write your whole list again.',
        part: mesh.key,
        label: `squad ${refName(ref)}`,
        workstream: ref.workstream,
        ownerId: planner.ownerId,
        domain: dataOf<MeshData>(mesh).domain,
        inputs: {
          workstream: ref.workstream,
          squad: planner.inputs['squad'],
          tier_path: planner.inputs['tier_path'],
          ...(planner.inputs['escalations'] === undefined ? {} : { escalations: planner.inputs['escalations'] }),
          tasks: own_,
          peers: peersOf(peers, overlaps),
          overlaps: overlaps.shown,
          ...(overlaps.more === 0 ? {} : { more_overlaps: overlaps.more }),
        },
      }
    }),
  )
}

/** With more peers than this, a squad lead sees only those with overlaps: reading all lists would take all its time. */
const manyPeers = 40

function peersOf(lists: ReadonlyMap<string, readonly Task[]>, overlaps: Overlaps): Record<string, unknown> {
  const concerned = new Set<string>()
  for (const theirs of overlaps.claimed.values()) for (const peer of theirs.keys()) concerned.add(peer)
  const shown = lists.size <= manyPeers ? [...lists] : [...lists].filter(([name]) => concerned.has(name))
  return Object.fromEntries(
    shown.map(([name, tasks]) => [name, tasks.map(({ id, title, scope, files }) => ({ id, title, scope, files }))]),
  )
}

function commit(view: View, mesh: Part, brief: Brief): readonly Decision[] {
  const ref = refOfBrief(brief)
  const data = dataOf<MeshData>(mesh)
  const by = `t3/${ref.workstream}`
  const committed = [...data.committed.filter((name) => name !== refName(ref)), refName(ref)]
  const mine = draftsOf(view, [ref], 'draft')
  const commits: Decision[] = mine.length === 0 ? [] : [{ kind: 'move_drafts', briefs: mine, to: 'committed', by }]
  const change = changed<MeshData>(mesh, { committed })
  if (committed.length < data.squads.length)
    return [
      ...commits,
      log(line('T3', 'COMMIT', `${refName(ref)} has committed`, { level: 'verbose', brief }), [change]),
    ]
  const lists = listsOf(view, data.squads)
  const all = [...lists.values()].flat()
  const pipeline = all.filter(({ mode, depends_on }) => mode === 'pipeline' || depends_on.length > 0).length
  const streams = [...new Set(data.squads.map(({ workstream }) => workstream))]
  const names = listed(streams, 5)
  const done: Decision = log(
    {
      kind: 'all_committed',
      ...line(
        'T3',
        'MESH_DONE',
        `Task split of ${names} committed — ${all.length} T4 ${all.length === 1 ? 'task' : 'tasks'} (${all.length - pipeline} swarm, ${pipeline} pipeline)`,
      ),
      ...(streams.length === 1 ? { workstream: streams[0] as string } : {}),
      data: { leads: data.squads.length, tasks: all.length, mesh: mesh.key },
    },
    [change],
  )
  // Many small lists are a large plan too.
  const unasked = unaskedOf(view) + all.length
  if (!settingsOf(view.run).gates.t3Plan && !isLargePlan(unasked, view.run.configuration)) {
    const ready = [
      ...mine.map((each) => ({ ...each, status: 'committed' as const })),
      ...draftsOf(view, data.squads, 'committed'),
    ]
    return [...commits, done, ...release(view, mesh, ready, unasked)]
  }
  return [
    ...commits,
    done,
    {
      kind: 'open_gate',
      gate: 't3_plan',
      part: mesh.key,
      summary: tasksSummary(view, lists),
      message: `⏸ Task breakdown of ${names} ready for review`,
    },
  ]
}

const draftsOf = (
  view: View,
  squads: readonly Pick<SquadRef, 'workstream' | 'squad'>[],
  status: 'draft' | 'committed',
): Brief[] =>
  squads.flatMap(({ workstream, squad }) =>
    (view.found.members[squadPart(workstream, squad)] ?? []).filter(
      (each) => each.phase === 't4' && each.status === status,
    ),
  )

/** Releases the tasks of a mesh: lists cannot change any more. A squad without tasks is done. */
function release(view: View, mesh: Part, drafts: readonly Brief[], unasked: number): readonly Decision[] {
  const { squads } = dataOf<MeshData>(mesh)
  const busy = new Set(drafts.map(({ part }) => part))
  const idle = squads.filter(({ workstream, squad }) => !busy.has(squadPart(workstream, squad)))
  const working = new Set(drafts.map(({ groupKey }) => groupKey))
  const empty = [...new Set(squads.map(({ workstream }) => workstream))].filter((id) => !working.has(id))
  const first = drafts.filter((draft) => draft.unmetDependencies === 0).length
  const parts: PartChange[] = [
    changedRun(view, { unasked }),
    { key: mesh.key, status: 'done' },
    ...idle.map(({ workstream, squad }) => ({ key: squadPart(workstream, squad), status: 'done' as const })),
  ]
  const streams = [...working].filter((id) => id !== null)
  const place = streams[0] !== undefined && streams.length === 1 ? { workstream: streams[0] } : {}
  return [
    log({ tier: 'T3', level: 'verbose', message: `${counted(drafts.length, 'task')} may start` }, parts),
    ...(drafts.length === 0
      ? []
      : [
          {
            kind: 'move_drafts',
            to: 'pending',
            briefs: drafts,
            event: {
              kind: 'log',
              ...line(
                'T4',
                'SWARM_START',
                `${counted(first, 'implementer')} may start${first === 1 ? '' : ' in parallel'}`,
                place,
              ),
            },
          } satisfies Decision,
        ]),
    ...(first === drafts.length
      ? []
      : [
          log(
            line(
              'T4',
              'PIPE_START',
              `${counted(drafts.length - first, 'implementer')} to follow when others are done`,
              place,
            ),
          ),
        ]),
    ...empty.map((id): Decision => ({ kind: 'merge_part', part: workstreamPart(id) })),
  ]
}

export function taskGateNeeds(view: View): Needs {
  const mesh = own(view)
  const { squads } = dataOf<MeshData>(mesh)
  return { members: [mesh.key, ...squads.map(({ workstream, squad }) => squadPart(workstream, squad))] }
}

export const onTasksApproved = (view: View): readonly Decision[] =>
  release(view, own(view), draftsOf(view, dataOf<MeshData>(own(view)).squads, 'committed'), 0)

/** Reopens the drafts and sends the lists back to their authors with the reason. */
export function onTasksRejected(view: View, reason: string): readonly Decision[] {
  const mesh = own(view)
  const { squads } = dataOf<MeshData>(mesh)
  const drafts = draftsOf(view, squads, 'committed')
  const leads = (view.found.members[mesh.key] ?? []).filter(({ status }) => status === 'verified')
  const reconciled = leads.filter(({ phase }) => phase === 't3_mesh')
  const again = reconciled.length > 0 ? reconciled : leads.filter(({ phase }) => phase === 't3_plan')
  return [
    log({ tier: 'T3', level: 'verbose', message: `tasks are planned again: ${shorten(reason, 200)}` }, [
      changed<MeshData>(mesh, { committed: [] }),
    ]),
    ...(drafts.length === 0
      ? []
      : [{ kind: 'move_drafts', briefs: drafts, to: 'draft', by: 'operator' } satisfies Decision]),
    ...again.map((brief): Decision => ({ kind: 'send_back', brief, reason, class: 'rejected' })),
  ]
}
