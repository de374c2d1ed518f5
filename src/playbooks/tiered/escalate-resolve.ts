import type { Brief, Guidance } from '../../work/briefs/contract.ts'
import { isLargePlan } from '../../work/runs/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import { architectureNeeds, settleConflict } from './t2-architecture.ts'
import { type Resolution, type Task, dataOfBrief } from './contract.ts'
import { type About, logEscalation, escalationsOf, refOf, resolveStep, type Rung } from './escalate-ladder.ts'
import { rungsOf } from './escalate-question.ts'
import { invalidatedBy, sendBack } from './t4-dependents.ts'
import { refName } from './t3-mesh.ts'
import { scopeOf } from './base-names.ts'
import { askOperator, replaceSquad, rescope, rescopeNeeds } from './t3-rescope.ts'
import { above, changedRun, dataOf, type MeshData, own, type SquadRef, unaskedOf } from './base-state.ts'
import { addStep, passStep, line, log } from './base-steps.ts'
import { furtherTasks, replaceTasks } from './t4-replace.ts'
import { faultsOfTasks, taskIdOf } from './t4-tasks.ts'

const aboutOf = ({ inputs }: Brief): About => inputs['about'] as About
const rungOf = ({ inputs }: Brief): Rung => inputs['rung'] as Rung
const ladderOf = ({ inputs }: Brief): Rung[] => inputs['ladder'] as Rung[]

/** Returns the id of the question that a step is to resolve. */
export function questionOf(brief: Brief): string | undefined {
  const about = aboutOf(brief)
  return about.kind === 'brief' ? about.question : undefined
}

/** Returns the rows that acting on an answer, or on its absence, needs. */
export function resolveNeeds(view: View, brief: Brief): Needs {
  const about = aboutOf(brief)
  if (about.kind === 'conflict') return architectureNeeds(above(view, 'wave:'))
  if (about.kind === 'mesh') return rescopeNeeds(view)
  if (about.kind === 'squad') return { members: [about.key], verdicts: [about.key] }
  const place = own(view).key
  const inMesh = place.startsWith('mesh:')
  return {
    briefs: [about.key],
    ...(inMesh ? rescopeNeeds(view) : { members: [place] }),
  }
}

export function faultsOfResolution(
  view: View,
  brief: Brief,
  { decision, answer, tasks, squads }: Resolution,
): string[] {
  if (decision === 'hand_up') return []
  if (decision === 'answer') return (answer ?? '').trim() === '' ? ['the decision "answer" needs text in "answer"'] : []
  switch (replaceableBy(view, brief)) {
    case 'tasks':
      return tasks === undefined ? ['"replace" needs tasks'] : faultsOfReplacement(view, aboutOf(brief), tasks)
    case 'squads':
      return squads === undefined || squads.length === 0
        ? ['"replace" needs squads']
        : faultsOfSquads(view, aboutOf(brief), squads)
    case null:
      return ['this cannot be replaced: answer it, or hand it up']
  }
}

function replaceableBy(view: View, brief: Brief): 'tasks' | 'squads' | null {
  const about = aboutOf(brief)
  if (about.kind === 'squad') return 'tasks'
  if (about.kind === 'mesh') return 'squads'
  if (about.kind === 'conflict') return null
  const subject = view.found.briefs[about.key]
  if (subject?.phase === 't4') return 'tasks'
  return subject?.phase === 't3_plan' || subject?.phase === 't3_mesh' ? 'squads' : null
}

function faultsOfReplacement(view: View, about: About, tasks: readonly Task[]): string[] {
  const members = (view.found.members[own(view).key] ?? []).filter(
    ({ phase, status }) => phase === 't4' && status !== 'cancelled',
  )
  const replaced = members.filter(
    (each) =>
      (about.kind === 'brief' && each.key === about.key) ||
      (about.kind === 'squad' && about.scopes.includes(scopeOf(each))),
  )
  const living = members.filter((each) => !replaced.includes(each)).map(taskIdOf)
  const stuck = about.kind === 'squad' ? replaced.filter(({ status }) => status === 'blocked') : replaced
  const more = furtherTasks(stuck, tasks)
  return [
    // A replacement starts without a question, so all of them together must not be large.
    ...(more > 0 && isLargePlan(unaskedOf(view) + more, view.run.configuration)
      ? [`${tasks.length} tasks are too many for a replacement without a question to the operator; hand it up`]
      : []),
    ...tasks.filter(({ id }) => living.includes(id)).map(({ id }) => `there is a task "${id}" already`),
    ...faultsOfTasks(tasks, living),
  ]
}

function faultsOfSquads(view: View, about: About, squads: NonNullable<Resolution['squads']>): string[] {
  const present = dataOf<MeshData>(own(view)).squads
  const streams = [...new Set(present.map(({ workstream }) => workstream))]
  const stuck = about.kind === 'brief' ? view.found.briefs[about.key] : undefined
  const named = squads.map(({ id, workstream }) => `${workstream ?? stuck?.groupKey ?? streams[0]}/${id}`)
  const staying = new Set(stuck === undefined ? [] : present.map(refName).filter((name) => name !== refOfLead(stuck)))
  const twice = named.filter((name, index) => named.indexOf(name) !== index)
  return [
    ...[...new Set(twice)].map((name) => `two squads are called "${name}"`),
    ...[...new Set(named)].filter((name) => staying.has(name)).map((name) => `there is a squad "${name}" already`),
    ...squads.flatMap(({ id, workstream }) =>
      workstream !== undefined && !streams.includes(workstream)
        ? [`squad "${id}" is for "${workstream}", which is not here`]
        : [],
    ),
  ]
}

const refOfLead = ({ groupKey: workstream, inputs }: Brief): string =>
  refName({ workstream: workstream as string, squad: (inputs['squad'] as { id: string }).id })

/** Applies a decision from above. Its subject may have changed in the meantime, or no longer exist. */
export function onResolution(view: View, brief: Brief, resolution: Resolution): readonly Decision[] {
  if (resolution.decision === 'hand_up')
    return [passStep(brief, resolution.reason), ...handUp(view, brief, resolution.reason)]
  const about = aboutOf(brief)
  const by = refOf(rungOf(brief), dataOfBrief(brief).workstream)
  const answer = resolution.answer?.trim() || resolution.reason
  switch (about.kind) {
    case 'conflict':
      return [passStep(brief), settleConflict(view, answer)]
    case 'mesh':
      return [passStep(brief), ...resolveMesh(view, brief, resolution, by, answer)]
    case 'squad':
      return [passStep(brief), ...resolveSquad(view, about, resolution, by, answer)]
    case 'brief':
      return [passStep(brief), ...resolveBrief(view, brief, about, resolution, by, answer)]
  }
}

function resolveMesh(
  view: View,
  brief: Brief,
  { squads }: Resolution,
  by: string,
  answer: string,
): readonly Decision[] {
  const mesh = own(view)
  const data = dataOf<MeshData>(mesh)
  const [first] = data.squads
  // A workstream that the answer leaves out keeps its squads: without one it would never be done.
  const given = squads?.map((squad) => refFor(squad, (first as SquadRef).workstream))
  const covered = new Set(given?.map(({ workstream }) => workstream))
  const whole =
    given === undefined ? undefined : [...given, ...data.squads.filter(({ workstream }) => !covered.has(workstream))]
  return [
    { kind: 'pass_gate', gate: 't3_mesh_timeout', part: mesh.key, by },
    ...rescope(view, mesh, {
      squads: whole,
      isByT1: rungOf(brief) === 't1' && data.path.includes('t2'),
      timeouts: data.timeouts,
      guidance: answer,
    }),
  ]
}

const refFor = (squad: NonNullable<Resolution['squads']>[number], workstream: string): SquadRef => ({
  workstream: squad.workstream ?? workstream,
  squad: squad.id,
  name: squad.name,
  scope: squad.scope,
})

function resolveSquad(
  view: View,
  about: Extract<About, { kind: 'squad' }>,
  { decision, tasks = [], reason }: Resolution,
  by: string,
  answer: string,
): readonly Decision[] {
  const members = view.found.members[about.key] ?? []
  const stuck = members.filter(
    (each) => each.phase === 't4' && each.status === 'blocked' && about.scopes.includes(scopeOf(each)),
  )
  if (stuck.length === 0) return []
  if (decision === 'replace') return replaceTasks(view, stuck, tasks, by, reason)
  return [
    ...stuck.map((brief): Decision => ({
      kind: 'resolve_brief',
      brief,
      by,
      class: 'bad_output',
      guidance: guidanceOf('The joint verdict on your squad is fail.', answer, by),
    })),
    ...invalidatedBy(members, stuck).map(sendBack),
  ]
}

function resolveBrief(
  view: View,
  brief: Brief,
  about: Extract<About, { kind: 'brief' }>,
  { decision, tasks = [], squads = [], reason }: Resolution,
  by: string,
  answer: string,
): readonly Decision[] {
  if (decision === 'answer' && about.question !== undefined)
    return [{ kind: 'answer_question', questionId: about.question, answer, by }]
  const stuck = view.found.briefs[about.key]
  if (stuck === undefined || (stuck.status !== 'blocked' && stuck.status !== 'failed')) return []
  if (decision === 'answer') {
    const question = String(brief.inputs['reason'] ?? 'It could not continue.')
    return [{ kind: 'resolve_brief', brief: stuck, by, class: about.class, guidance: guidanceOf(question, answer, by) }]
  }
  if (stuck.phase === 't4') return replaceTasks(view, [stuck], tasks, by, reason)
  const workstream = dataOfBrief(stuck).workstream as string
  return replaceSquad(
    withEscalation(view, stuck),
    own(view),
    stuck,
    squads.map((squad) => refFor(squad, workstream)),
    answer,
  )
}

/** Gives the next planner one escalation more than the blocked brief had. */
function withEscalation(view: View, stuck: Brief): View {
  const mesh = own(view).key
  const escalations = escalationsOf(stuck) + 1
  const members = (view.found.members[mesh] ?? []).map((each) =>
    each.phase === 't3_plan' && each.groupKey === stuck.groupKey
      ? { ...each, inputs: { ...each.inputs, escalations } }
      : each,
  )
  return { ...view, found: { ...view.found, members: { ...view.found.members, [mesh]: members } } }
}

const guidanceOf = (question: string, answer: string, by: string): Guidance => ({ question, answer, by })

/** Hands a decision to the next rung, or to the operator: it was declined, or its brief has failed. */
export function handUp(view: View, brief: Brief, reason: string): readonly Decision[] {
  const about = aboutOf(brief)
  const [rung, ...ladder] = ladderOf(brief)
  const { tier: of, workstream } = dataOfBrief(brief)
  const from = refOf(rungOf(brief), workstream)
  if (about.kind === 'brief' && about.question !== undefined)
    return [{ kind: 'raise_question', questionId: about.question, reason }]
  if (about.kind === 'brief') {
    const stuck = view.found.briefs[about.key]
    if (stuck === undefined || (stuck.status !== 'blocked' && stuck.status !== 'failed')) return []
    return [{ kind: 'ask', brief: stuck, class: about.class, reason, ladder: rungsOf(stuck, ladderOf(brief)) }]
  }
  const tier = of.toUpperCase()
  const to = rung === undefined ? 'operator' : refOf(rung, workstream)
  const logged = logEscalation({
    from,
    to,
    class: about.kind === 'mesh' ? 'mesh_timeout' : 'verification',
    reason,
    tier,
    brief,
  })
  if (rung !== undefined)
    return [
      logged,
      addStep(
        view,
        resolveStep({
          key: String(brief.inputs['resolve_key']),
          rung,
          ladder,
          part: own(view).key,
          workstream,
          ownerId: brief.ownerId,
          about,
          title: brief.title,
          objective: brief.objective,
          inputs: { ...brief.inputs, handed_up_by: from, handed_up_because: reason },
        }),
      ),
    ]
  if (about.kind === 'mesh')
    return [
      logged,
      { kind: 'pass_gate', gate: 't3_mesh_timeout', part: about.key, by: from },
      askOperator(own(view), reason),
    ]
  if (about.kind === 'conflict') return [conflictForOperator(view, about.wave, reason), pauseForConflict(reason)]
  const stuck = (view.found.members[about.key] ?? []).filter(
    (each) => each.phase === 't4' && each.status === 'blocked' && about.scopes.includes(scopeOf(each)),
  )
  // Every tier above has decided or declined.
  return stuck.map((each): Decision => ({ kind: 'ask', brief: each, class: 'bad_output', reason, ladder: [] }))
}

const conflictForOperator = (view: View, wave: number, reason: string): Decision =>
  log(line('T2', 'CONFLICT', `T1 leaves it to the operator: ${reason}`), [
    changedRun(view, { onResume: { what: 'conflict', wave } }),
  ])

const pauseForConflict = (reason: string): Decision => ({
  kind: 'pause_and_ask',
  text: 'The architects do not agree, and T1 leaves the decision to you. Let them try again?',
  context: reason,
})
