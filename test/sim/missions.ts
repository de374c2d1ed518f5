import type { z } from 'zod'

import { CreateRun } from '../../src/work/runs/contract.ts'
import type { Random } from './random.ts'
import { people, workers } from './store.ts'

type BriefInput = NonNullable<z.input<typeof CreateRun>['briefs']>[number]

/** Draws a run as an operator may request it. `name` is unique, so that the names of its files are unique too. */
export function drawRun(random: Random, name: string): CreateRun {
  const isPlanned = random.chance(0.2)
  return CreateRun.parse({
    goal: goalOf(name),
    runtime: 'scripted',
    ...(isPlanned ? { planner: true } : { briefs: planOf(random, name, { byAgent: false }) }),
    planGate: random.chance(0.3),
    verify: random.pick(['auto', 'all', 'none']),
    acceptance: random.pick(['auto', 'auto', 'operator']),
    onLimit: random.pick(['ask', 'ask', 'fail']),
    idleMinutes: random.pick([1, 2]),
    hardMinutes: random.pick([3, 6]),
    crashRetries: random.between(0, 2),
    retryBudget: random.between(0, 2),
    verificationLimit: random.between(0, 2),
    gateTimeoutMinutes: random.pick([null, null, 1, 4]),
    ...(random.chance(0.2) ? { tokenBudget: random.between(200, 5_000) } : {}),
    ...(random.chance(0.1) ? { costLimit: random.between(1_000, 20_000) / 1e6 } : {}),
    approvalsNeeded: random.pick([1, 1, 1, 2, 1 + people.length]),
  })
}

/** Draws a run with a team of five tiers and limits low enough to be reached. */
export function drawTieredRun(random: Random, name: string): CreateRun {
  const on = (chance: number): boolean => random.chance(chance)
  const strict = on(0.1)
  const gates = { t2_lead: on(0.2), t2_synthesis: on(0.7), t3_plan: on(0.2), t5_verdict: on(0.2) }
  const requires = random.pick(['completed', 'completed', 'verified'])
  const team = {
    visibility: { strict_mode: strict, inspection_gates: gates },
    limits: {
      crash_retries: random.between(0, 2),
      retry_budget: random.between(0, 2),
      t2_conflict_cycle_limit: random.between(0, 2),
      t3_mesh_timeout_minutes: random.pick([null, 0.5, 2, 10]),
      max_parallel_agents: random.pick([1, 3, 8]),
      max_parallel: { t4: random.pick([1, 2, 5]) },
      // Team files reject `verified` together with the gate t5_verdict.
      pipeline_requires: strict || gates.t5_verdict ? 'completed' : requires,
    },
  }
  return CreateRun.parse({
    goal: goalOf(name),
    playbook: 'tiered',
    runtime: 'scripted',
    team: JSON.stringify(team),
    idleMinutes: random.pick([1, 2]),
    hardMinutes: random.pick([3, 6]),
    gateTimeoutMinutes: random.pick([null, null, 1, 4]),
    ...(random.chance(0.1) ? { tokenBudget: random.between(2_000, 50_000) } : {}),
    approvalsNeeded: random.pick([1, 1, 1, 2]),
  })
}

export const goalOf = (name: string): string => `Write ${name}.md`

/** Draws mostly small plans: faults show with two briefs already, and many seeds cover more than large plans. */
export function planOf(random: Random, name: string, { byAgent }: { byAgent: boolean }): BriefInput[] {
  const count = random.pick([1, 1, 2, 2, 3, 4, random.between(5, 12)])
  const density = random.pick([0, 0.3, 0.7])
  return Array.from({ length: count }, (_, index) => {
    const subject = `${name}-${index}`
    const after = Array.from({ length: index }, (__, before) => `b${before}`).filter(() => random.chance(density))
    return {
      key: `b${index}`,
      objective: `Write ${subject}.md`,
      after,
      ...evidenceOf(random, subject, byAgent),
      ...(!byAgent && random.chance(0.1) ? { tokenBudget: random.between(100, 2_000) } : {}),
      ...(byAgent || random.chance(0.7) ? verifyOf(random) : castOf(random)),
    }
  })
}

/** Returns the text that finished work contains, and unfinished work does not. */
export const proofOf = (subject: string): string => `${subject} is done`

function evidenceOf(random: Random, subject: string, byAgent: boolean): Pick<BriefInput, 'evidence'> {
  const path = `${subject}.md`
  const file = { kind: 'file' as const, path, contains: proofOf(subject) }
  const kinds: Pick<BriefInput, 'evidence'>[] = [
    { evidence: [file] },
    { evidence: [file, { kind: 'artifact', path }] },
    { evidence: [{ kind: 'artifact' }] },
    {},
  ]
  if (!byAgent) kinds.push({ evidence: [{ kind: 'command', run: 'look' }, file] })
  return random.pick(kinds)
}

const verifyOf = (random: Random): Pick<BriefInput, 'verify'> =>
  random.chance(0.15) ? { verify: random.pick(['agent', 'none']) } : {}

function castOf(random: Random): Pick<BriefInput, 'persona' | 'verifier'> {
  const [one, other] = workers
  return random.pick([{ persona: one }, { verifier: one }, { persona: one, verifier: other }])
}
