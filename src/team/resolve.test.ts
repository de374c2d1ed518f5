import { describe, expect, it } from 'vitest'

import { AgencyError } from '../kernel/errors.ts'
import type { ResolvedTeam } from './contract.ts'
import { accept, openTeam } from './open.ts'
import type { RuntimeState, TeamEnvironment } from './resolve.ts'

const scripted: RuntimeState = { name: 'scripted', trouble: null, simulated: true }
const program: RuntimeState = { name: 'program', trouble: null, simulated: false }
const agent: RuntimeState = { name: 'coder', trouble: null, simulated: false, provider: 'maker', teams: true }
const noAgent: RuntimeState = {
  ...agent,
  trouble: { reason: 'program "coder" was not found', install: 'get coder' },
}
const model: RuntimeState = { name: 'llm', trouble: null, simulated: false }

const models = `
capabilities:
  reasoning-heavy: { provider: maker, model: large }
  capable: [{ provider: maker, model: middle }, { provider: other, model: medium }]
  fast-cheap: { provider: other, model: small }
`

const here = (...runtimes: RuntimeState[]): TeamEnvironment => ({ runtimes: [scripted, program, ...runtimes] })

function resolve(text: string, environment: TeamEnvironment): ResolvedTeam {
  const file = { text, name: 'team.yaml' }
  return accept(file, openTeam(file, environment))
}

function refused(text: string, environment: TeamEnvironment): AgencyError {
  try {
    resolve(text, environment)
  } catch (error) {
    if (error instanceof AgencyError) return error
    throw error
  }
  throw new Error('it was not refused')
}

const complaints = (text: string, environment: TeamEnvironment): string[] =>
  (refused(text, environment).data['faults'] as { line: number; column: number; message: string }[]).map(
    ({ line, column, message }) => `${line}:${column}: ${message}`,
  )

const runtimesOf = ({ tiers }: ResolvedTeam): Record<string, string> =>
  Object.fromEntries(Object.entries(tiers).map(([tier, { runtime }]) => [tier, runtime]))

describe('a team with a model and a coding agent', () => {
  it('uses models for reasoning and the agent for code, each tier by its capability', () => {
    const team = resolve(models, here(agent, model))
    expect(team.warnings).toEqual([])
    expect(team.tiers).toMatchObject({
      t1: {
        role: 'Visionary',
        capability: 'reasoning-heavy',
        runtime: 'llm',
        runtimeOptions: { provider: 'maker', model: 'large' },
      },
      t2: { role: 'Architect', capability: 'reasoning-heavy', runtime: 'llm' },
      t3: { role: 'Squad Lead', capability: 'capable', runtime: 'llm', runtimeOptions: { model: 'middle' } },
      t4: { role: 'Implementer', capability: 'fast-cheap', runtime: 'coder' },
      t5: { role: 'Verifier', capability: 'capable', runtime: 'coder' },
    })
  })

  it('passes the agent only models of its own provider', () => {
    const { tiers } = resolve(models, here(agent, model))
    expect(tiers.t4.runtimeOptions).toEqual({ native_teams: false })
    expect(tiers.t5.runtimeOptions).toEqual({ native_teams: false, model: 'middle' })
  })

  it('lets a tier pick one of the providers of its capability', () => {
    const { tiers } = resolve(
      `${models}tiers: { t2: { capability: capable }, t3: { provider: other } }`,
      here(agent, model),
    )
    expect(tiers.t2).toMatchObject({ capability: 'capable', runtimeOptions: { provider: 'maker', model: 'middle' } })
    expect(tiers.t3.runtimeOptions).toEqual({ provider: 'other', model: 'medium' })
  })

  it('lets a tier set its runtime and its options', () => {
    const { tiers } = resolve(
      `${models}tiers:\n  t4: { runtime: program, options: { command: [x] } }\n  t5: { runtime: standard }\n  t3: { runtime: coding_agent }\n  t1: { options: { effort: high } }\nruntime: { options: { max_turns: 9 } }`,
      here(agent, model),
    )
    expect(tiers.t4).toMatchObject({ runtime: 'program', runtimeOptions: { command: ['x'] }, why: 'tiers.t4.runtime' })
    expect(tiers.t5).toMatchObject({ runtime: 'llm', runtimeOptions: { provider: 'maker', model: 'middle' } })
    expect(tiers.t3).toMatchObject({ runtime: 'coder', runtimeOptions: { max_turns: 9, model: 'middle' } })
    expect(tiers.t1.runtimeOptions).toEqual({ provider: 'maker', model: 'large', effort: 'high' })
  })

  it('keeps options of the coding agent away from other runtimes', () => {
    const { tiers } = resolve(
      `${models}tiers: { t4: { runtime: program } }\nruntime: { options: { max_turns: 9 } }`,
      here(agent, model),
    )
    expect(tiers.t4.runtimeOptions).toEqual({})
    expect(tiers.t5.runtimeOptions).toMatchObject({ max_turns: 9 })
  })

  it('lets agents divide their work where configured, and marks those tiers as opaque', () => {
    const { tiers } = resolve(`${models}runtime: { native_teams: true }`, here(agent, model))
    expect(tiers.t4).toMatchObject({ opaque: true, runtimeOptions: { native_teams: true } })
    expect(tiers.t1).toMatchObject({ opaque: false, runtimeOptions: { provider: 'maker', model: 'large' } })
    expect(resolve(models, here(agent, model)).tiers.t4.opaque).toBe(false)
  })
})

describe('a missing runtime', () => {
  it('of code is replaced by models, with a warning', () => {
    const team = resolve(models, here(noAgent, model))
    expect(team.warnings).toEqual(['T4/T5 runtime: standard (fallback)'])
    expect(team.tiers.t4).toMatchObject({ runtime: 'llm', runtimeOptions: { provider: 'other', model: 'small' } })
    const half = resolve(`${models}tiers: { t5: { runtime: program } }`, here(noAgent, model))
    expect(half.warnings).toEqual(['T4 runtime: standard (fallback)'])
  })

  it('of models is replaced by the coding agent, with a warning', () => {
    const team = resolve('', here(agent, model))
    expect(runtimesOf(team)).toEqual({ t1: 'coder', t2: 'coder', t3: 'coder', t4: 'coder', t5: 'coder' })
    expect(team.warnings).toEqual(['T1/T2/T3 runtime: coder (fallback): no model is set for reasoning-heavy, capable'])
    const some = resolve('capabilities: { capable: { provider: other, model: m } }', here(agent, model))
    expect(runtimesOf(some)).toEqual({ t1: 'coder', t2: 'coder', t3: 'llm', t4: 'coder', t5: 'coder' })
  })

  it('of both kinds is refused with hints to install, configure or simulate', () => {
    const { code, message, hint } = refused('', here(noAgent, model))
    expect({ code, message }).toEqual({
      code: 'no_runtime',
      message: 'no runtime is available: neither a coding agent nor a model for every tier',
    })
    expect(hint).toContain('get coder')
    expect(hint).toContain('models under capabilities')
    expect(hint).toContain('--runtime scripted')
    expect(
      refused(
        'capabilities: { reasoning-heavy: {provider: a, model: b}, capable: {provider: a, model: b} }',
        here(model),
      ),
    ).toMatchObject({
      code: 'no_runtime',
    })
  })

  it('is never replaced by a simulation', () => {
    expect(refused('', { runtimes: [scripted, program] }).code).toBe('no_runtime')
  })
})

describe('a runtime that the team names', () => {
  it.each([
    [
      'runtime:\n  coding_agent: coder',
      '2:17: runtime.coding_agent: "coder" cannot run here: program "coder" was not found. get coder',
    ],
    [
      'runtime:\n  coding_agent: cdr',
      '2:17: runtime.coding_agent: unknown runtime "cdr"; available: scripted, program, coder, llm',
    ],
    [
      `${models}tiers:\n  t4: { runtime: coder }`,
      '7:18: tiers.t4.runtime: "coder" cannot run here: program "coder" was not found. get coder',
    ],
    [
      `${models}tiers:\n  t1: { provider: nobody }`,
      '7:19: tiers.t1.provider: no model is configured for reasoning-heavy of nobody; add one under capabilities',
    ],
    [
      'tiers: { t1: { runtime: standard } }\nruntime: { coding_agent: program }',
      '1:25: tiers.t1.runtime: no model is configured for reasoning-heavy; add one under capabilities',
    ],
  ])('%j is refused with its line', (text, complaint) => {
    expect(complaints(text, here(noAgent, model))).toEqual([complaint])
  })

  it('is refused with the line of the model, where models cannot be used here', () => {
    const silent = { ...model, trouble: { reason: 'no key', install: 'set one' } }
    expect(complaints(models, here(agent, silent))).toEqual([
      '3:20: capabilities.reasoning-heavy: "llm" cannot run here: no key. set one',
      '4:12: capabilities.capable: "llm" cannot run here: no key. set one',
    ])
  })

  it('is refused without a line where it comes from another source', () => {
    const environment = { ...here(noAgent, model), defaultRuntime: 'coder' }
    expect(refused('', environment)).toMatchObject({
      code: 'no_runtime',
      message:
        'default_runtime of config.yaml, because there is no model: "coder" cannot run here: program "coder" was not found. get coder',
    })
    expect(() => accept(null, openTeam(null, { ...here(model), runtime: { name: 'llm', options: {} } }))).toThrow(
      'no model is configured for reasoning-heavy; add one under capabilities',
    )
  })
})

describe('a team that cannot run here', () => {
  it('can be inspected: each tier as it would be, and the problems', () => {
    const file = { text: models, name: 'team.yaml' }
    const silent = { ...model, trouble: { reason: 'no key', install: 'set one' } }
    const { team, problems } = openTeam(file, here(noAgent, silent))
    expect(team.tiers.t4).toMatchObject({ runtime: 'llm', runtimeOptions: { provider: 'other', model: 'small' } })
    expect(team.warnings).toEqual(['T4/T5 runtime: standard (fallback)'])
    expect(problems.map(({ code, path }) => `${code} ${path?.join('.')}`)).toEqual([
      'no_runtime capabilities.reasoning-heavy',
      'no_runtime capabilities.capable',
      'no_runtime capabilities.fast-cheap',
    ])
    const bare = openTeam(null, here(noAgent, silent))
    expect(bare.team.warnings).toEqual(['T4/T5 runtime: standard (fallback)'])
    expect(bare.problems).toHaveLength(1)
  })
})

describe('options of the request', () => {
  it('set all tiers to one runtime with its options', () => {
    const asked = { ...here(noAgent), runtime: { name: 'scripted', options: { scenario: 'demo' } } }
    const team = resolve(`${models}tiers: { t4: { runtime: coding_agent, options: { max_turns: 1 } } }`, asked)
    expect(new Set(Object.values(runtimesOf(team)))).toEqual(new Set(['scripted']))
    expect(team.tiers.t4).toMatchObject({ runtimeOptions: { scenario: 'demo' }, why: '--runtime' })
    expect(team.warnings).toEqual([])
  })

  it('leave each tier its model, where the runtime accepts it', () => {
    const asked = { ...here(agent, model), runtime: { name: 'coder', options: { max_turns: 3 } } }
    const { tiers } = resolve(`${models}runtime: { coding_agent: coder, options: { max_turns: 9, binary: b } }`, asked)
    expect(tiers.t1.runtimeOptions).toEqual({ model: 'large', native_teams: false, max_turns: 3, binary: 'b' })
    const thinking = resolve(models, { ...here(model), runtime: { name: 'llm', options: {} } })
    expect(thinking.tiers.t4.runtimeOptions).toEqual({ provider: 'other', model: 'small' })
  })

  it('are refused for an unknown runtime', () => {
    const asked = { ...here(), runtime: { name: 'nothing', options: {} } }
    expect(refused('', asked).message).toBe('--runtime: unknown runtime "nothing"; available: scripted, program')
  })

  it('use the configured runtime as coding agent, also a simulation', () => {
    const team = resolve('', { ...here(agent), defaultRuntime: 'scripted' })
    expect(new Set(Object.values(runtimesOf(team)))).toEqual(new Set(['scripted']))
  })
})

describe('gates', () => {
  it('are those of the plan and of the architecture by default', () => {
    expect(resolve('', here(agent))).toMatchObject({
      strict: false,
      gates: { t1Plan: true, t2Lead: false, t2Synthesis: true, t3Plan: false, t5Verdict: false },
      gateTimeoutMinutes: null,
    })
  })

  it('are all enabled in strict mode, set by the file or by the command', () => {
    const all = { t1Plan: true, t2Lead: true, t2Synthesis: true, t3Plan: true, t5Verdict: true }
    const off = 'visibility: { inspection_gates: { t2_synthesis: false } }'
    expect(resolve(off, here(agent)).gates.t2Synthesis).toBe(false)
    expect(
      resolve('visibility: { strict_mode: true, inspection_gates: { t2_synthesis: false } }', here(agent)),
    ).toMatchObject({ strict: true, gates: all })
    expect(resolve(off, { ...here(agent), strict: true })).toMatchObject({ strict: true, gates: all })
  })

  it('wait as long as either of the two keys states', () => {
    expect(resolve('visibility: { gate_timeout_minutes: 60 }', here(agent)).gateTimeoutMinutes).toBe(60)
    expect(
      resolve('visibility: { inspection_gates: { gate_timeout_minutes: 0.5 } }', here(agent)).gateTimeoutMinutes,
    ).toBe(0.5)
  })
})

describe('a team with pipeline_requires: verified', () => {
  const text = (visibility: string): string => `visibility: ${visibility}\nlimits:\n  pipeline_requires: verified\n`
  const past = (why: string): string =>
    `3:22: limits.pipeline_requires: "verified" cannot be combined with the gate t5_verdict${why}: tasks would continue past it`

  it('must not have the gate t5_verdict', () => {
    expect(complaints(text('{inspection_gates: {t5_verdict: true}}'), here(agent))).toEqual([past('')])
  })

  it('must not be strict, by the file or by the command', () => {
    const strict = [past(', which strict mode opens')]
    expect(complaints(text('{strict_mode: true}'), here(agent))).toEqual(strict)
    expect(complaints(text('{}'), { ...here(agent), strict: true })).toEqual(strict)
  })

  it('is accepted otherwise', () => {
    expect(resolve(text('{}'), here(agent)).limits.pipelineRequires).toBe('verified')
  })
})

describe('the notifiers of a team', () => {
  it('must be notifiers of the configuration', () => {
    const environment = { ...here(agent), notifiers: ['terminal', 'phone'] }
    expect(resolve('notify: [phone]', environment).notify).toEqual(['phone'])
    expect(complaints('notify: [phone, pager]', environment)).toEqual([
      '1:17: notify.1: config.yaml has no notifier "pager"; its notifiers: terminal, phone',
    ])
  })
})
