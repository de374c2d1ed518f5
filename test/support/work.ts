import { newBrief } from '../../src/work/briefs/create.ts'
import { nothingFound } from '../../src/engine/outcome/view.ts'
import { operatorPersona } from '../../src/kernel/ids.ts'
import type { OperatorActor } from '../../src/kernel/actor.ts'
import type { View } from '../../src/playbooks/contract.ts'
import type { Brief, HeldBrief } from '../../src/work/briefs/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'

/** Defaults of runs: without verification and without questions. */
export const plainDefaults = {
  idleMinutes: 30,
  hardMinutes: 240,
  crashRetries: 3,
  retryBudget: 3,
  verify: 'none',
  verificationLimit: 3,
  acceptance: 'auto',
  onLimit: 'fail',
  gateTimeoutMinutes: null,
} as const

// Complete rows for tests of pure functions that depend on some of the columns.

const at = '2030-01-01T00:00:00.000Z'

export const operator: OperatorActor = { kind: 'operator', personaId: operatorPersona }

export const aBrief = ({ data = {}, ...fields }: Partial<Brief> = {}): Brief => ({
  ...newBrief(
    // The parts of a scope that `newBrief` reads.
    { run: aRun(), tx: { at }, providerOf: () => 'scripted', playbook: {} } as unknown as Parameters<
      typeof newBrief
    >[0],
    {
      id: 'brf_1',
      key: 'main',
      number: 1,
      title: 'A haiku',
      objective: 'Write a haiku about rivers into poem.txt',
      evidence: [{ kind: 'artifact' }],
      checkable: false,
      ...fields,
    },
  ),
  data,
})

/** Returns a brief as the API shows it. */
export const aHeldBrief = (fields: Partial<HeldBrief> = {}): HeldBrief => ({
  tokenBudget: null,
  costLimitMicros: null,
  heldBy: null,
  holds: [],
  ...aBrief(fields),
})

export const aRun = (fields: Partial<Run> = {}): Run => ({
  id: 'run_1',
  missionId: 'mis_1',
  organisationId: 1,
  playbook: 'direct',
  status: 'running',
  priority: 'medium',
  claimOrder: '2:2030-01-01T00:00:00.000Z:run_1',
  goalAnchor: 'Write a haiku about rivers into poem.txt',
  simulated: true,
  configuration: {
    runtime: 'scripted',
    runtimeOptions: {},
    evidence: [],
    ...plainDefaults,
    verifierRuntime: null,
    verifierOptions: null,
    planner: false,
    planGate: false,
    approvalsNeeded: 1,
    tokenBudget: null,
    costLimit: null,
    mode: 'yolo',
    workspace: null,
  },
  briefsTotal: 1,
  briefsOpen: 1,
  briefsVerified: 0,
  briefsDone: 0,
  briefsFailed: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
  unpricedCalls: 0,
  heldBy: null,
  abandoned: false,
  gatesPending: 0,
  questionsOpen: 0,
  dismissedAt: null,
  notesTotal: 0,
  repository: null,
  head: null,
  summary: null,
  continues: null,
  startedAt: at,
  endedAt: null,
  updatedAt: at,
  ...fields,
})

/** Returns a playbook's view of a run without parts. */
export const aView = (fields: Partial<View> = {}): View => ({
  run: aRun(),
  liveAttempts: 0,
  parts: [],
  tally: {},
  found: nothingFound,
  ...fields,
})
