import { describe, expect, it } from 'vitest'

import { outputs, type StepPhase } from '../../../../playbooks/tiered/contract.ts'
import { faultsOfPlan } from '../../../../playbooks/tiered/t1-plan-faults.ts'
import { faultsOfTasks } from '../../../../playbooks/tiered/t4-tasks.ts'
import { makeLaunch } from '../../contract-suite.ts'
import type { Scenario } from '../contract.ts'
import { resolveScenario } from '../resolve-scenario.ts'
import { builtInScenarios } from '../scenarios.ts'

const profiles = [
  ['tiered-full', 21, 'Build a webhook ingestion system'],
  ['tiered-medium', 4, 'Limit requests'],
  ['tiered-simple', 1, 'Fix it'],
] as const

describe.each(profiles)('the scenario %s', (name, tasks, goal) => {
  const scenario = builtInScenarios[name]?.('') as Scenario
  const phases = Object.keys(scenario.phases ?? {})
  const inputs = { run_id: 'run_1', goal_anchor: goal }

  /** Returns the output of a step, by its key in the scenario. */
  async function outputOf(part: string): Promise<unknown> {
    const [phase = '', ...path] = part.split(':')
    const step = { phase, key: `${phase}:${path.join(':')}`, inputs, data: { workstream: path[0] ?? null } }
    const launch = await makeLaunch({ kind: 'plan', step })
    const reports = resolveScenario(scenario, launch)
      .attempts.flat()
      .flatMap((each) => ('report' in each ? [each.report] : []))
    return reports[0]?.output
  }

  it('delivers valid outputs for its phases, and states that it is simulated', async () => {
    const steps = phases.filter((part) => Object.hasOwn(outputs, part.split(':')[0] as string))
    for (const part of steps) {
      const parsed = outputs[part.split(':')[0] as StepPhase].safeParse(await outputOf(part))
      expect([part, parsed.error?.issues]).toEqual([part, undefined])
    }
    expect(steps.length).toBeGreaterThan(2)
    for (const attempts of Object.values(scenario.phases ?? {}))
      for (const steps_ of attempts) expect(JSON.stringify(steps_)).toMatch(/simulated/i)
  })

  it('has a valid plan and valid tasks', async () => {
    const plan = outputs.t1_critique.parse(await outputOf('t1_critique'))
    expect(faultsOfPlan({ id: 'run_1', goalAnchor: goal }, plan)).toEqual([])
    const lists = phases.filter((part) => part.startsWith('t3_plan'))
    for (const part of lists) expect(faultsOfTasks(outputs.t3_plan.parse(await outputOf(part)).tasks)).toEqual([])
    const workers = phases.filter((part) => part.startsWith('t4'))
    expect(workers).toHaveLength(tasks)
  })
})
