import { operatorPersona, systemPersona } from '../../src/kernel/ids.ts'
import type { OperatorActor } from '../../src/kernel/actor.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'

/** Rows that a test of a pure function needs in full and cares about in part. */

const at = '2030-01-01T00:00:00.000Z'

export const operator: OperatorActor = { kind: 'operator', personaId: operatorPersona }

export const aBrief = (fields: Partial<Brief> = {}): Brief => ({
  id: 'brf_1',
  runId: 'run_1',
  missionId: 'mis_1',
  key: 'main',
  number: 1,
  title: 'A haiku',
  objective: 'Write a haiku about rivers into poem.txt',
  context: '',
  evidence: [{ kind: 'artifact' }],
  personaId: systemPersona,
  runtime: 'scripted',
  runtimeOptions: {},
  status: 'pending',
  heldBy: null,
  unmetDependencies: 0,
  attempts: 0,
  attemptId: null,
  crashRetries: 0,
  crashLimit: 3,
  retriesUsed: 0,
  retryBudget: 3,
  interruptions: 0,
  corrections: [],
  failure: null,
  createdAt: at,
  updatedAt: at,
  ...fields,
})

export const aRun = (fields: Partial<Run> = {}): Run => ({
  id: 'run_1',
  missionId: 'mis_1',
  organisationId: 1,
  playbook: 'direct',
  status: 'running',
  goalAnchor: 'Write a haiku about rivers into poem.txt',
  simulated: true,
  configuration: {
    runtime: 'scripted',
    runtimeOptions: {},
    evidence: [],
    idleMinutes: 30,
    hardMinutes: 240,
    crashRetries: 3,
    retryBudget: 3,
  },
  briefsTotal: 1,
  briefsOpen: 1,
  briefsDone: 0,
  briefsFailed: 0,
  inputTokens: 0,
  outputTokens: 0,
  summary: null,
  startedAt: at,
  endedAt: null,
  updatedAt: at,
  ...fields,
})
