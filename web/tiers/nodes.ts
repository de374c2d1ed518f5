import { runStateText } from '../../src/kernel/run-state.ts'
import { dataOfBrief } from '../../src/playbooks/tiered/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { GateView } from '../../src/work/gates/contract.ts'
import { briefState } from '../briefs/state.ts'
import { type Branch, briefBranch, type Openness, visibleNodes } from '../briefs/branches.ts'
import { stateOfAll, workersText } from '../briefs/progress.ts'
import type { Node } from '../parts/node-tree.tsx'
import type { State } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses } from '../router.tsx'
import { runState } from '../runs/state.ts'
import { nodesOfGate, type Squad, squadRef, type Stream, streamState, type Team } from './team.ts'

/** With more workstreams everything starts closed. */
const maxOpenStreams = 12

/**
 * Builds the tree of a tiered run: planning, design, and for each workstream its tasks and verifiers. Finished parts
 * start closed.
 */
export const tierNodes = (inspection: Inspection, team: Team, isOpen: Openness): Node[] =>
  visibleNodes(rootOf(inspection, team), isOpen)

/** Returns the keys of the nodes that must be open for a brief to be visible. */
export function ancestorsOf(brief: HeldBrief, all: readonly HeldBrief[]): string[] {
  const verified = brief.verifies === null ? undefined : all.find((each) => each.id === brief.verifies)
  const doer = verified ?? brief
  const ref = squadRef(doer)
  if (ref === null) return ['run', dataOfBrief(brief).tier === 't1' ? 'T1' : 'T2']
  const [workstream = ''] = ref.split('/')
  return [
    'run',
    `ws:${workstream}`,
    `sq:${ref}`,
    ...(dataOfBrief(doer).tier === 't4' ? [`t4:${ref}`] : []),
    ...(verified === undefined ? [] : [verified.id]),
  ]
}

function rootOf(inspection: Inspection, team: Team): Branch {
  const { run, state, gates, attempts } = inspection
  const pendingGates = new Map<string, GateView>()
  for (const gate of gates)
    if (gate.status === 'pending') for (const node of nodesOfGate(gate, team)) pendingGates.set(node, gate)
  const work = {
    attempts: Map.groupBy(attempts, (attempt) => attempt.briefId),
    verifiers: team.verifiers,
  }
  const brief = (each: HeldBrief): Branch => briefBranch(each, work, { state: stepState(each) })
  const steps = (briefs: readonly HeldBrief[]): Branch[] => briefs.map(brief)

  const stateT1 = stateOfT1(team, run.endedAt !== null)
  const t1: Branch = {
    key: 'T1',
    title: 'T1 plan, critique, accept',
    state: withGate(stateT1, pendingGates.get('T1')),
    isOpen: stateT1.tone !== 'good' || pendingGates.has('T1'),
    below: () => [...steps(team.t1), ...futureSteps(team.t1, t1Steps, run.endedAt === null)],
  }
  const specialists = team.streams.filter(({ path }) => path.includes('t2'))
  const t2: Branch = {
    key: 'T2',
    title: 'T2 lead, specialists, synthesis',
    state: withGate(stateOfAll(team.t2), pendingGates.get('T2')),
    isOpen: specialists.length <= maxOpenStreams && !isDone(stateOfAll(team.t2)),
    below: () => [...steps(team.t2), ...futureSteps(team.t2, t2Steps(specialists), run.endedAt === null)],
  }

  const workers = (squad: Squad): Branch => ({
    key: `t4:${squad.ref}`,
    title: 'T4 workers',
    state: { ...stateOfAll(squad.tasks), text: workersText(squad.tasks) },
    isEmpty: squad.tasks.length === 0,
    below: () => squad.tasks.map(brief),
  })
  const ofSquad = (squad: Squad): Branch[] => {
    const verdicts = squad.steps.filter(({ phase }) => phase === 't3_verdict' || phase === 'resolve')
    return [
      ...steps(squad.steps.filter((each) => !verdicts.includes(each))),
      ...(squad.tasks.length === 0 ? [] : [workers(squad)]),
      ...steps(verdicts),
    ]
  }
  const squadBranch = (squad: Squad): Branch => ({
    key: `sq:${squad.ref}`,
    title: squad.steps.length === 0 ? `Squad ${squad.id}` : `T3 squad ${squad.id}`,
    state: withGate(squadState(squad), pendingGates.get(squad.ref)),
    isOpen: team.streams.length <= maxOpenStreams && !isDone(squadState(squad)),
    below: () => ofSquad(squad),
  })
  const stream = (each: Stream): Branch => {
    const gate = each.squads.map(({ ref }) => pendingGates.get(ref)).find((found) => found !== undefined)
    const tasks = each.squads.flatMap((squad) => squad.tasks)
    const state = streamState(each)
    return {
      key: `ws:${each.id}`,
      title: each.path.length === 0 ? each.id : `${each.id}  ${pathText(each.path)}`,
      state: withGate(tasks.length === 0 ? state : { ...state, text: `${state.text} · ${workersText(tasks)}` }, gate),
      isEmpty: each.squads.length === 0,
      isOpen: team.streams.length <= maxOpenStreams && !isDone(state),
      below: () => each.squads.map(squadBranch),
    }
  }

  return {
    key: 'run',
    title: run.goalAnchor,
    state: withGate(
      {
        ...runState(state),
        text: [runStateText(state), ...workingTiers(inspection.briefs), ...tasksDone(team)].join(' · '),
      },
      pendingGates.get('run'),
    ),
    to: addresses.run(run.id),
    isOpen: true,
    below: () => [t1, ...(team.hasT2 ? [t2] : []), ...team.streams.map(stream)],
  }
}

/** Returns the tiers with working briefs. */
function workingTiers(briefs: readonly HeldBrief[]): string[] {
  const busy = new Set(briefs.filter((each) => stateOfAll([each]).tone === 'working').map(({ capKey: tier }) => tier))
  return busy.size === 0
    ? []
    : [
        [...busy]
          .map((tier) => tier?.toUpperCase())
          .toSorted()
          .join(', '),
      ]
}

function tasksDone({ streams }: Team): string[] {
  const tasks = streams.flatMap(({ squads }) => squads.flatMap((squad) => squad.tasks))
  return tasks.length === 0 ? [] : [`T4: ${workersText(tasks)}`]
}

/** Puts a pending gate before the text of a state. */
function withGate(state: State, gate: GateView | undefined): State {
  if (gate === undefined) return state
  const label = gate.approver === 'operator' ? 'pending review' : `${gate.approver} decides`
  return { tone: 'waiting', text: `[GATE: ${label}] ${state.text}` }
}

/** Returns the state of T1, which is good after planning although T1 has to accept the result at the end. */
function stateOfT1({ t1 }: Team, isOver: boolean): State {
  const state = stateOfAll(t1)
  const accepts = t1.some(({ phase, inputs }) => phase === 't1_accept' && inputs['accept_scope'] !== 'architecture')
  return state.tone === 'good' && !accepts && !isOver ? { tone: 'good', text: 'planned · acceptance to come' } : state
}

/** Returns the state of a step. The next step uses its result without verification, so a verified step is done. */
function stepState(brief: HeldBrief): State {
  const state = briefState(brief)
  return brief.kind === 'plan' && brief.status === 'verified'
    ? { ...state, text: state.text.replace('verified', 'done') }
    : state
}

const isDone = ({ tone, text }: State): boolean => tone === 'good' && text === 'done'

const squadState = ({ steps, tasks }: Squad): State => stateOfAll([...steps, ...tasks])

export const pathText = (path: readonly string[]): string => path.map((tier) => tier.toUpperCase()).join(' → ')

/** A step that has no brief yet, with the title that its brief will have. */
interface Expected {
  readonly phase: string
  readonly workstream?: string
  readonly title: string
}

const t1Steps: readonly Expected[] = [
  { phase: 't1_plan', title: 'Plan the work' },
  { phase: 't1_critique', title: 'Criticise the plan' },
  { phase: 't1_accept', title: 'Accept the result' },
]

const t2Steps = (streams: readonly Stream[]): Expected[] => [
  { phase: 't2_lead', title: 'Draw the boundaries' },
  ...streams.map(({ id, planned }) => ({
    phase: 't2_specialist',
    workstream: id,
    title: `Design ${planned?.name ?? id}`,
  })),
  { phase: 't2_synthesis', title: 'Bring the proposals together' },
]

/** Returns nodes for the known steps that have no brief yet. */
function futureSteps(existing: readonly HeldBrief[], expected: readonly Expected[], isOpen: boolean): Branch[] {
  if (!isOpen) return []
  // The acceptance of an architecture is not the final acceptance.
  const relevant = existing.filter(({ inputs }) => inputs['accept_scope'] !== 'architecture')
  const found = new Set(relevant.flatMap(({ phase, groupKey: workstream }) => [phase, `${phase}:${workstream}`]))
  return expected
    .filter(({ phase, workstream }) => !found.has(workstream === undefined ? phase : `${phase}:${workstream}`))
    .map(({ phase, workstream, title }) => ({
      key: `missing:${phase}:${workstream ?? ''}`,
      title,
      state: { tone: 'idle', text: 'pending' },
    }))
}
