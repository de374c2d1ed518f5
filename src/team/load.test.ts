import { readFileSync } from 'node:fs'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import { toWire } from '../operations/wire.ts'
import { Team } from './contract.ts'
import { readTeam } from './load.ts'

const complaints = (text: string): string[] =>
  readTeam(text).faults.map(({ line, column, message }) => `${line}:${column}: ${message}`)

/** Every key, each with a value that is not its default. */
const everything = `
visibility:
  strict_mode: true
  log_level: verbose
  inspection_gates:
    t1_plan: true
    t2_lead: true
    t2_synthesis: false
    t3_plan: true
    t5_verdict: true
    gate_timeout_minutes: 0.5
  gate_timeout_minutes: 0.5
limits:
  crash_retries: 1
  verification_failures: 2
  retry_budget: 4
  similar_escalations: 5
  t2_conflict_cycle_limit: 6
  t3_mesh_timeout_minutes: 0.05
  max_parallel_agents: 9
  max_parallel: { t1: 1, t2: 2, t3: 3, t4: 4, t5: 5 }
  pipeline_requires: verified
capabilities:
  reasoning-heavy: { provider: here, model: large/1.0 }
  capable:
    - { provider: here, model: middle }
    - { provider: there, model: "middle:7b" }
  fast-cheap: { provider: there, model: small }
tiers:
  t1: { provider: here, runtime: standard, capability: reasoning-heavy, options: { effort: high } }
  t2: { capability: capable }
  t3: { provider: there }
  t4: { runtime: coding_agent }
  t5: { runtime: program }
runtime:
  coding_agent: claude-code
  native_teams: true
  options: { max_turns: 20 }
notify: [hook, phone]
vcs: { adapter: bare, remote: null, main: trunk }
talent: { path: /pool, registry: /pool/registry.yaml }
`

describe('a team file', () => {
  it('may be empty, or contain only comments and empty keys', () => {
    const defaults = readTeam('').team
    expect(defaults).toMatchObject({
      visibility: {
        strictMode: false,
        logLevel: 'normal',
        gateTimeoutMinutes: null,
        inspectionGates: { t1Plan: true, t2Lead: false, t2Synthesis: true, t3Plan: false, t5Verdict: false },
      },
      limits: {
        crashRetries: 3,
        verificationFailures: 5,
        retryBudget: 3,
        similarEscalations: 3,
        t2ConflictCycleLimit: 2,
        t3MeshTimeoutMinutes: 10,
        maxParallelAgents: 8,
        maxParallel: { t1: null, t2: null, t3: null, t4: 5, t5: null },
        pipelineRequires: 'completed',
      },
      runtime: { codingAgent: null, nativeTeams: false, options: {} },
      notify: [],
      vcs: { adapter: 'bare', remote: null },
      talent: { path: null, registry: null },
    })
    for (const text of ['# nothing\n', '---\n', '\ufeff', 'limits:\nvisibility:\n  inspection_gates:\ntiers: {t4: }\n'])
      expect(readTeam(text)).toMatchObject({ team: defaults, faults: [] })
  })

  it('is read with every key', () => {
    const { team, faults } = readTeam(everything)
    expect(faults).toEqual([])
    const written = parse(everything) as Record<string, Record<string, unknown>>
    expect(toWire(Team, team)).toEqual(written)
  })

  it('sets a single limit and keeps the other defaults', () => {
    const { team } = readTeam('limits: {max_parallel: {t5: 2}, t3_mesh_timeout_minutes: null}')
    expect(team?.limits).toMatchObject({ maxParallel: { t4: 5, t5: 2 }, t3MeshTimeoutMinutes: null, crashRetries: 3 })
  })

  it('may contain runtime names with underscores', () => {
    const { team } = readTeam('runtime: {coding_agent: claude_code}\ntiers: {t5: {runtime: claude_code}}')
    expect(team).toMatchObject({ runtime: { codingAgent: 'claude-code' }, tiers: { t5: { runtime: 'claude-code' } } })
  })
})

describe('an invalid line', () => {
  it.each([
    ['limts: {}', '1:1: limts: unknown key; did you mean "limits"?'],
    ['limits:\n  crash_retrys: 1', '2:3: limits.crash_retrys: unknown key; did you mean "crash_retries"?'],
    [
      'limits: {maxParallelAgents: 3}',
      '1:10: limits.maxParallelAgents: unknown key; did you mean "max_parallel_agents"?',
    ],
    ['visibility:\n  inspection_gates:\n    t9: true', '3:5: visibility.inspection_gates.t9: unknown key'],
    ['tiers: {t6: {}}', '1:9: tiers.t6: unknown key'],
    ['tiers:\n  t4:\n    model: x', '3:5: tiers.t4.model: unknown key'],
    ['capabilities: {clever: {provider: a, model: b}}', '1:16: capabilities.clever: unknown key'],
    ['__proto__: {limits: 1}', '1:1: __proto__: unknown key'],
    ['limits: {constructor: 1}', '1:10: limits.constructor: unknown key'],
  ])('%j has an unknown key', (text, complaint) => {
    expect(complaints(text)).toEqual([complaint])
  })

  it.each([
    ['visibility:\n  strict_mode: "yes"', '2:16: visibility.strict_mode: expected boolean, received string'],
    ['visibility: {log_level: loud}', '1:25: visibility.log_level: expected one of "normal"|"verbose"'],
    [
      'visibility: {gate_timeout_minutes: 0}',
      '1:36: visibility.gate_timeout_minutes: too small: expected number to be >0',
    ],
    ['visibility: 5', '1:13: visibility: expected object, received number'],
    ['limits: {crash_retries: "3"}', '1:25: limits.crash_retries: expected number, received string'],
    ['limits: {retry_budget: 1.5}', '1:24: limits.retry_budget: expected int, received number'],
    ['limits: {max_parallel: {t4: 0}}', '1:29: limits.max_parallel.t4: too small: expected number to be >=1'],
    ['limits: {pipeline_requires: done}', '1:29: limits.pipeline_requires: expected one of "completed"|"verified"'],
    ['capabilities:\n  capable: fast', '2:12: capabilities.capable: expected object, received string'],
    ['capabilities:\n  capable: {provider: a}', '2:12: capabilities.capable.model: is missing'],
    ['capabilities:\n  capable: []', '2:12: capabilities.capable: too small: expected array to have >=1 items'],
    [
      'capabilities: {capable: [{provider: a, model: b}, {provider: a}]}',
      '1:51: capabilities.capable.1.model: is missing',
    ],
    [
      'capabilities: {capable: {provider: a, model: "--x"}}',
      '1:46: capabilities.capable.model: is not the name of a model',
    ],
    [
      'tiers: {t5: {capability: smart}}',
      '1:26: tiers.t5.capability: expected one of "reasoning-heavy"|"capable"|"fast-cheap"',
    ],
    ['tiers: [t1]', '1:8: tiers: expected object, received array'],
    ['tiers: {t4: {runtime: "no such thing!"}}', '1:23: tiers.t4.runtime: is not the name of a runtime'],
    ['runtime: {native_teams: 1}', '1:25: runtime.native_teams: expected boolean, received number'],
    ['notify: [Pigeon!]', '1:10: notify.0: is not the name of a notifier of config.yaml'],
    ['vcs: {adapter: svn}', '1:16: vcs.adapter: must be bare'],
    ['talent: {path: pool}', '1:16: talent.path: must be an absolute path'],
    ['- limits', '1:1: a team must be a list of "key: value"'],
    ['limits', '1:1: a team must be a list of "key: value"'],
  ])('%j has a value of the wrong type', (text, complaint) => {
    expect(complaints(text)).toEqual([complaint])
  })

  it('must not disable the plan gate', () => {
    expect(complaints('visibility:\n  inspection_gates:\n    t1_plan: false')).toEqual([
      '3:14: visibility.inspection_gates.t1_plan: t1_plan gate is mandatory',
    ])
  })

  it('must not contradict another line', () => {
    expect(complaints('limits: {}\nlimits: {}')).toEqual(['2:1: duplicate key "limits"'])
    expect(complaints('limits:\n  retry_budget: 1\n  retry_budget: 2')).toEqual(['3:3: duplicate key "retry_budget"'])
    expect(complaints('visibility: {gate_timeout_minutes: 9, inspection_gates: {gate_timeout_minutes: 5}}')).toEqual([
      '1:80: visibility.inspection_gates.gate_timeout_minutes: is 5 here and 9 in visibility; set it only once',
    ])
  })

  it.each([
    '{adapter: program, command: [sh, -c, id]}',
    '{adapter: webhook, url: "https://foreign.example", token: {file: /home/me/key}}',
    '{adapter: slack, url: {env: SLACK}}',
    '{adapter: terminal}',
  ])('must not define the notifier %s', (entry) => {
    expect(complaints(`notify:\n- phone\n- ${entry}`)).toEqual([
      '3:3: notify.1: must be the name of a notifier of config.yaml; move this entry to "notify:" there, with a name and "team_only: true", and write its name here',
    ])
  })

  it('names features that are not supported yet', () => {
    expect(
      complaints('runtime: {coding_agent: codex}\ntiers: {t4: {runtime: remote}}\nvcs: {adapter: github, remote: x}'),
    ).toEqual([
      '1:25: runtime.coding_agent: codex is not supported yet',
      '2:23: tiers.t4.runtime: remote is not supported yet',
      '3:16: vcs.adapter: github is not supported yet',
      '3:32: vcs.remote: a remote to push to is not supported yet',
    ])
  })

  it('is reported where it is not YAML', () => {
    expect(complaints('limits:\n\tcrash_retries: 1')).toEqual(['2:1: Tabs are not allowed as indentation'])
    expect(complaints('limits: {')).toHaveLength(1)
    expect(complaints('a: 1\n---\nb: 1')).toEqual(['2:1: a second document begins here; a file holds one team'])
    expect(complaints('limits: &l { max_parallel: *l }')).toEqual(['1:28: the alias *l is inside its own anchor'])
  })

  it('is reported with all others, in the order of the file', () => {
    expect(complaints('tiers: 1\nlimits: {x: 1, crash_retries: no}\nfoo: 1').map((each) => each[0])).toEqual([
      '1',
      '2',
      '2',
      '3',
    ])
  })
})

describe('the example', () => {
  const example = readFileSync(new URL('../../examples/team.yaml', import.meta.url), 'utf8')

  it('is a team of two providers with gates that wait for an hour, and defaults otherwise', () => {
    const { team, faults } = readTeam(example)
    expect(faults).toEqual([])
    expect(team?.visibility).toEqual({ ...readTeam('').team?.visibility, gateTimeoutMinutes: 60 })
    expect(team?.limits).toEqual(readTeam('').team?.limits)
    const models = Object.values(team?.capabilities ?? {}).flat()
    expect(new Set(models.map(({ provider }) => provider)).size).toBe(2)
  })

  it('is a valid team or has located faults after any mutation', () => {
    const torn = fc
      .tuple(
        fc.nat(example.length),
        fc.nat(example.length),
        fc.oneof(fc.string(), fc.constantFrom('\t', '&a', '*a', '{', ': ', '\n- ', '\0')),
      )
      .map(([from, to, text]) => example.slice(0, from) + text + example.slice(to))
    fc.assert(
      fc.property(fc.oneof(torn, fc.string({ unit: 'binary-ascii', maxLength: 200 })), (text) => {
        const { team, faults } = readTeam(text)
        expect(team === null).toBe(faults.length > 0)
        expect(faults.every(({ line, column }) => Math.min(line ?? 0, column ?? 0) > 0)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})
