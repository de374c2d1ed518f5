import { describe, expect, it } from 'vitest'

import { openAgency, type StartRun, type TestAgency } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import type { Runtime } from '../../adapters/runtime/port.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'
import { refusal } from '../../kernel/errors.ts'
import type { TeamFile } from '../../team/open.ts'
import type { Run } from './contract.ts'

/** Returns a scripted runtime that does not count as simulated. */
function playedAs(name: string, provider?: string, more: Partial<Runtime> = {}): Runtime {
  const scripted = createScriptedRuntime({ host: 'in-process' })
  const capabilities = { ...scripted.capabilities, simulated: false, ...(provider === undefined ? {} : { provider }) }
  return { ...scripted, name, capabilities, checkOptions: () => {}, ...more }
}

const models = `
capabilities:
  reasoning-heavy: { provider: maker, model: large }
  capable: { provider: other, model: middle }
  fast-cheap: { provider: maker, model: small }
`
const tiered = (agency: TestAgency, input: StartRun = {}): Promise<Run> =>
  agency.run({ playbook: 'tiered', runtimeOptions: {}, ...input })

describeStores('a tiered run', (openFresh) => {
  it('keeps its initial team after a change of the file', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    let file: TeamFile | null = { text: 'limits: { retry_budget: 1, crash_retries: 7 }', name: '/home/team.yaml' }
    const agency = await openAgency({ db, clock, homeTeam: () => file })
    const first = await tiered(agency)
    file = {
      text: 'limits: { retry_budget: 9, verification_failures: 2 }\nvisibility: { gate_timeout_minutes: 60 }',
      name: '',
    }
    const second = await tiered(agency)
    file = null
    const third = await tiered(agency)
    const limitsOf = async ({ id }: Run) => {
      const { team, ...configuration } = (await agency.runs.show(id)).configuration
      const { crashRetries, retryBudget, verificationLimit, gateTimeoutMinutes } = configuration
      return { budget: team?.limits.retryBudget, crashRetries, retryBudget, verificationLimit, gateTimeoutMinutes }
    }
    const rest = { verificationLimit: 5, gateTimeoutMinutes: null }
    expect(await limitsOf(first)).toEqual({ budget: 1, crashRetries: 7, retryBudget: 1, ...rest })
    expect(await limitsOf(second)).toEqual({
      budget: 9,
      crashRetries: 3,
      retryBudget: 9,
      verificationLimit: 2,
      gateTimeoutMinutes: 60,
    })
    expect(await limitsOf(third)).toEqual({ budget: 3, crashRetries: 3, retryBudget: 3, ...rest })
  })
})

describe('a tiered run', () => {
  it('prefers its own team to that of the home, and opens every gate if it is strict', async () => {
    const agency = await openAgency({ homeTeam: () => ({ text: 'limits: { max_parallel_agents: 2 }', name: 'home' }) })
    const own = await tiered(agency, { team: 'limits: { max_parallel: { t4: 1 } }', strict: true })
    expect(own.configuration.team).toMatchObject({
      strict: true,
      gates: { t1Plan: true, t2Lead: true, t2Synthesis: true, t3Plan: true, t5Verdict: true },
      limits: { maxParallelAgents: 8, maxParallel: { t4: 1 } },
    })
    const plain = await tiered(agency)
    expect(plain.configuration.team).toMatchObject({ strict: false, limits: { maxParallelAgents: 2 } })
  })

  it('gives each tier its runtime, and records every fallback', async () => {
    const runtimes = [playedAs('llm'), playedAs('coder', 'maker')]
    const agency = await openAgency({ runtimes, runtime: null })
    const mixed = await tiered(agency, { team: models })
    expect(mixed.simulated).toBe(false)
    expect(mixed.configuration.team?.tiers).toMatchObject({
      t1: { runtime: 'llm', runtimeOptions: { provider: 'maker', model: 'large' } },
      t3: { runtime: 'llm', runtimeOptions: { provider: 'other', model: 'middle' } },
      t4: { runtime: 'coder', runtimeOptions: { model: 'small' } },
    })
    const bare = await tiered(agency)
    const warning = 'T1/T2/T3 runtime: coder (fallback): no model is set for reasoning-heavy, capable'
    expect(bare.configuration.team?.warnings).toEqual([warning])
    expect((await agency.events(bare)).filter(({ kind }) => kind === 'log').map(({ message }) => message)).toContain(
      warning,
    )
    expect((await tiered(agency, { runtime: 'scripted' })).simulated).toBe(true)
  })

  it('lets models write code if no coding agent is installed, and reports it', async () => {
    const missing = { available: async () => ({ ok: false as const, reason: 'not installed', install: 'get it' }) }
    const agency = await openAgency({ runtimes: [playedAs('llm'), playedAs('coder', 'maker', missing)], runtime: null })
    const run = await tiered(agency, { team: models })
    expect(run.configuration.team?.tiers.t4.runtime).toBe('llm')
    expect((await agency.events(run)).map(({ message }) => message)).toContain('T4/T5 runtime: standard (fallback)')
    await expect(tiered(agency)).rejects.toMatchObject({
      code: 'no_runtime',
      hint: expect.stringMatching(/get it.*--runtime scripted/),
    })
  })

  it('is refused with each faulty line of its team, and with faults of the home’s file under its name', async () => {
    const agency = await openAgency({ homeTeam: () => ({ text: 'a: 1\nb: 2', name: '/home/team.yaml' }) })
    await expect(
      tiered(agency, { team: 'visibility: { inspection_gates: { t1_plan: false } }' }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'team:1:44: visibility.inspection_gates.t1_plan: t1_plan gate is mandatory',
      data: { file: 'team', faults: [{ line: 1, column: 44 }] },
    })
    await expect(tiered(agency)).rejects.toMatchObject({
      message: '/home/team.yaml:1:1: a: unknown key (and 1 more)',
      data: { file: '/home/team.yaml', faults: [{ line: 1 }, { line: 2 }] },
    })
  })

  it.each<[StartRun, RegExp, RegExp]>([
    [{ acceptance: 'operator' }, /^--acceptance operator is not/, /T1 accepts/],
    [{ briefs: [{ key: 'a', objective: 'Do it' }] }, /^briefs are not/, /T1 plans/],
    [{ planner: true }, /^--planner is not/, /T1 always plans/],
    [{ planGate: true }, /^--plan-gate is not/, /t1_plan/],
    [{ verify: 'none' }, /^--verify none is not/, /T5 always judges/],
  ])('is refused what it would not look at: %j', async (input, message, hint) => {
    const agency = await openAgency()
    await expect(tiered(agency, input)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    })
  })

  it('is refused if a runtime does not support the options of the team', async () => {
    const refuses = (): never => {
      throw refusal('invalid_input', 'there is no model "large"', { hint: 'Name another.' })
    }
    const agency = await openAgency({
      runtimes: [playedAs('llm', undefined, { checkOptions: refuses })],
      runtime: null,
    })
    await expect(tiered(agency, { team: models })).rejects.toMatchObject({
      message: 'team:3:20: capabilities.reasoning-heavy: there is no model "large". Name another. (and 2 more)',
    })
  })

  it('is the only kind of run with a team', async () => {
    const agency = await openAgency()
    await expect(agency.run({ team: '' })).rejects.toMatchObject({
      code: 'invalid_input',
      hint: 'Add --playbook tiered.',
    })
    await expect(agency.run({ strict: true })).rejects.toThrow('--strict is for runs in tiers, and this one is direct')
    expect((await agency.run()).configuration).not.toHaveProperty('team')
  })
})
