import {
  dataOfBrief,
  type Architecture,
  type JointVerdict,
  type TaskList,
  type TierPlan,
  type BriefData,
} from '../../src/playbooks/tiered/contract.ts'
import type { RunState } from '../../src/kernel/run-state.ts'
import type { Amendment } from '../../src/work/amendments/contract.ts'
import type { Artifact } from '../../src/work/artifacts/contract.ts'
import type { Attempt } from '../../src/work/attempts/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { GateView } from '../../src/work/gates/contract.ts'
import type { Part } from '../../src/work/parts/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import type { Verdict } from '../../src/work/verdicts/contract.ts'
import { aHeldBrief, aRun } from './work.ts'

/** The rows of a half-finished tiered run of any size, as `run.inspect` returns them, for tests of views. */
export interface TieredRows {
  run: Run
  state: RunState
  briefs: HeldBrief[]
  artifacts: Artifact[]
  attempts: Attempt[]
  verdicts: Verdict[]
  gates: GateView[]
  parts: Part[]
  amendments: Amendment[]
}

export interface TieredShape {
  workstreams: number
  /** Number of tasks per workstream. */
  tasks: number
  squads?: number
}

type Add = (
  fields: Partial<HeldBrief> & Pick<HeldBrief, 'key'> & Pick<BriefData, 'tier'> & Partial<Omit<BriefData, 'tier'>>,
) => HeldBrief

const at = '2030-01-01T00:00:00.000Z'
const runId = 'run_tiered000001'

/**
 * Builds the rows: the first workstream was verified once and has a failed task, the last has not started, the others
 * are being worked on.
 */
export function tieredRows({ workstreams, tasks, squads = 1 }: TieredShape): TieredRows {
  const ids = Array.from({ length: workstreams }, (_, index) => `stream-${index + 1}`)
  const briefs: HeldBrief[] = []
  const verdicts: Verdict[] = []
  const artifacts: Artifact[] = []
  const add: Add = ({ tier, workstream = null, label = null, files = [], flow = null, ...fields }) => {
    const data: BriefData = { tier, workstream, label, files, flow, personality: null, replaces: null, opaque: false }
    const place = { capKey: tier, groupKey: workstream, data }
    const brief = aHeldBrief({
      id: `brf_${fields.key}`,
      runId,
      kind: 'plan',
      status: 'verified',
      attempts: 1,
      ...place,
      ...fields,
    })
    briefs.push(brief)
    return brief
  }
  const write = (name: string, content: unknown, author: HeldBrief): void => {
    const text = JSON.stringify(content)
    artifacts.push({
      id: `art_${artifacts.length}`,
      runId,
      briefId: author.id,
      attemptId: `att_${author.id}`,
      author: null,
      name,
      version: 1,
      path: name,
      sha256: 'a'.repeat(64),
      bytes: text.length,
      content: text,
      at,
    })
  }

  const plan = add({ key: 't1-plan', tier: 't1', phase: 't1_plan', title: 'Plan', part: 'run' })
  const critique = add({ key: 't1-critique', tier: 't1', phase: 't1_critique', title: 'Criticise', part: 'run' })
  write('t1_plan_draft', planOf(ids), plan)
  write(
    't1_plan',
    { ...planOf(ids), self_critique_summary: 'The queue may be **slow**; it has a test of its own.' },
    critique,
  )
  const lead = add({ key: 't2-lead', tier: 't2', phase: 't2_lead', title: 'Lead', part: 'run' })
  write('domain_boundaries', boundaries(ids), lead)
  write(
    'shared_assumptions',
    { auth_approach: 'Signed requests', data_formats: ['JSON, UTF-8'], conventions: ['One file, one thing'] },
    lead,
  )
  for (const id of ids) {
    const author = add({
      key: `t2-spec:${id}`,
      tier: 't2',
      phase: 't2_specialist',
      title: `Design ${id}`,
      workstream: id,
      part: 'wave:1',
    })
    write(`architecture_proposal/${id}`, proposalOf(id), author)
  }
  const synthesis = add({ key: 't2-synth:1', tier: 't2', phase: 't2_synthesis', title: 'Synthesis', part: 'wave:1' })
  write('canonical_architecture', architectureOf(ids), synthesis)

  ids.forEach((id, place) => {
    if (place === workstreams - 1 && workstreams > 1) return
    for (let number = 1; number <= squads; number += 1) {
      const squad = `squad-${number}`
      const inputs = {
        workstream: id,
        squad: { id: squad, name: `Squad ${number} of ${id}`, scope: 'all' },
        tier_path: path,
      }
      const mesh = 'mesh:1:t2:backend'
      const planner = add({
        key: `t3-plan:${id}:${squad}`,
        tier: 't3',
        phase: 't3_plan',
        title: 'Plan tasks',
        workstream: id,
        part: mesh,
        inputs,
      })
      const list: TaskList['tasks'] = []
      for (let task = 1; task <= tasks; task += 1) {
        const name = `task-${task}`
        const failed = place === 0 && task === 1
        const status = place === 0 ? (failed ? 'pending' : 'verified') : task % 3 === 0 ? 'pending' : 'working'
        const doer = add({
          key: `t4:${id}:${squad}:${name}`,
          kind: 'work',
          tier: 't4',
          phase: 't4',
          title: `Build ${name} of ${id}`,
          label: `implementer-${task} ${name}`,
          workstream: id,
          part: `sq:${id}/${squad}`,
          files: [place < 2 && task === 2 ? 'src/shared.ts' : `src/${id}/${name}.ts`],
          flow: task === 3 ? 'pipeline' : 'swarm',
          inputs: {
            workstream: id,
            squad,
            tier_path: path,
            task_id: name,
            scope: `${id} ${name}`,
            depends_on: task === 3 ? ['task-2'] : [],
          },
          status,
          attempts: status === 'pending' && !failed ? 0 : 1,
          retriesUsed: failed ? 1 : 0,
          checkable: true,
        })
        if (place === 0) verdicts.push(verdictOn(doer, failed ? 'fail' : 'pass', add))
        list.push({
          id: name,
          title: doer.title,
          scope: `${id} ${name}`,
          objective: 'Build it',
          files: dataOfBrief(doer).files,
          mode: 'swarm',
          depends_on: [],
          evidence_required: [],
          agent_personality: null,
        })
      }
      write(`tasks/${id}/${squad}`, { tasks: list }, planner)
      if (place === 0) {
        const judge = add({
          key: `t3-verdict:${id}:${squad}`,
          tier: 't3',
          phase: 't3_verdict',
          title: 'Judge',
          workstream: id,
          part: `sq:${id}/${squad}`,
        })
        write(`joint_verdict/${id}/${squad}`, jointOf(tasks), judge)
      }
    }
  })
  const done = briefs.filter(({ status }) => status === 'verified').length
  return {
    run: aRun({
      id: runId,
      playbook: 'tiered',
      goalAnchor: 'Build a webhook ingestion system',
      status: 'gated',
      briefsTotal: briefs.length,
      briefsOpen: briefs.length - done,
      briefsVerified: done,
      gatesPending: 1,
    }),
    state: 'waits_for_you',
    briefs,
    artifacts,
    attempts: [],
    verdicts,
    gates: [gate],
    parts: [],
    amendments: [],
  }
}

const path = ['t2', 't3', 't4', 't5']

const planOf = (ids: readonly string[]): TierPlan => ({
  run_id: runId,
  goal_anchor: 'Build a webhook ingestion system',
  complexity: 'high',
  retry_budget_multiplier: 2,
  workstreams: ids.map((id, index) => ({
    id,
    name: `Workstream ${index + 1}`,
    domain: 'backend',
    tier_path: ['t2', 't3', 't4', 't5'],
    parallel_group: index === 0 ? 'first' : 'second',
    t2_specialist: 'Backend Architect',
    notes: 'Takes what comes in and keeps it.',
    evidence_required: [],
  })),
  parallelism: {
    groups: { first: ids.slice(0, 1), second: ids.slice(1) },
    sequence: ids.length > 1 ? ['first', 'second'] : ['first'],
  },
  self_critique_summary: '',
})

const boundaries = (ids: readonly string[]) => ({
  domains: ids.map((id) => ({
    domain: id,
    owns: [`src/${id}`],
    excludes: ['deployment'],
    interfaces: [`${id} over HTTP`],
  })),
})

const proposalOf = (id: string) => ({
  domain: 'backend',
  components: [{ name: 'Receiver', purpose: `Takes what ${id} is sent` }],
  interface_contracts: [],
  decisions: ['Answer before the work is done'],
  open_conflicts: [],
  t3_squads: [{ id: 'squad-1', name: 'Squad', scope: 'all' }],
})

const architectureOf = (ids: readonly string[]): Architecture => ({
  overview: 'Requests are **signed**, kept, then handed on.',
  slices: Object.fromEntries(
    ids.map((id) => [
      id,
      { summary: `What ${id} does`, components: [{ name: 'Receiver', purpose: 'Takes requests' }] },
    ]),
  ),
  interface_contracts: [
    { name: 'Events', provided_by: ids[0] ?? '', used_by: ids.slice(1, 3), contract: 'POST /events answers 202' },
  ],
})

const jointOf = (tasks: number): JointVerdict => ({
  t5_results: Array.from({ length: tasks }, (_, index) => ({
    verifier_id: `verifier-${index + 1}`,
    scope: `task-${index + 1}`,
    verdict: index === 0 ? 'fail' : 'pass',
    issues: index === 0 ? ['the queue loses what was not acknowledged'] : [],
    notes: '',
  })),
  joint_verdict: 'partial',
  failed_scopes: ['task-1'],
  summary: 'All but the queue hold.',
})

function verdictOn(doer: HeldBrief, verdict: Verdict['verdict'], add: Add): Verdict {
  const judge = add({
    key: `t5:${doer.key}`,
    kind: 'verify',
    tier: 't5',
    phase: 't5',
    title: `Verify ${doer.title}`,
    verifies: doer.id,
    verifiesAttempt: 1,
    workstream: doer.groupKey,
    part: doer.part,
  })
  return {
    id: `ver_${doer.key}`,
    runId,
    briefId: doer.id,
    scope: 'brief',
    attempt: 1,
    doerId: 11,
    doerPersonaId: 2,
    verifierId: 12,
    verifierPersonaId: 2,
    verifierBriefId: judge.id,
    verdict,
    checked: ['the files'],
    missingEvidence: [],
    issues: verdict === 'pass' ? [] : ['the queue loses what was not acknowledged'],
    notes: '',
    at,
  }
}

const gate: GateView = {
  id: 'gat_tasks0000001',
  runId,
  gate: 't3_plan',
  approver: 'operator',
  boundary: 'part:mesh:1:t2:backend',
  summary: {
    produced: '21 tasks of 3 squads:\n- stream-1/squad-1 task-1: Build it (src/stream-1/task-1.ts)',
    next: 'Approve and 14 implementers start at once.\nEstimate: about 120k (90k–150k) tokens, $1.20, 14 minutes (from 3 past runs, simulated).',
    anomalies: ['Without checkable evidence, only a verifier judges: task-4'],
    amendments: ['stream-2: t3 → t4 → t5 became t2 → t3 → t4 → t5 (t3/stream-2: the schema is shared)'],
  },
  pendingSince: at,
  timeoutMinutes: null,
  status: 'pending',
  note: null,
  reason: null,
  by: null,
}
