import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { showTiers } from '../../team/cli/tiers.ts'
import { createContext } from '../context.ts'
import { examineTeamFile } from './team.ts'

/** A machine without any agent, whose one model server wants no key. */
function machine(files: Record<string, string> = {}) {
  const home = freshFolder()
  writeFileSync(
    join(home, 'config.yaml'),
    'llm: { providers: { here: { kind: ollama }, there: { kind: openai-compatible, base_url: "http://127.0.0.1:9" } } }\n',
  )
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  const out: string[] = []
  const err: string[] = []
  const context = {
    ...createContext({ AGENCY_HOME: home, PATH: '' }),
    columns: 200,
    colour: false,
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    text: (text: string) => void out.push(text),
    json: (value: unknown) => void out.push(JSON.stringify(value)),
  }
  return { context, out, err, file: (name: string) => join(home, name) }
}

const twoProviders = `
capabilities:
  reasoning-heavy: { provider: here, model: large }
  capable: { provider: there, model: middle }
  fast-cheap: { provider: here, model: small }
`

describe('agency doctor --team', () => {
  it('prints the resulting team of a file with two providers, and that models also write code', async () => {
    const { context, out, err, file } = machine({ 'team.yaml': twoProviders })
    expect(await examineTeamFile(context, { team: file('team.yaml') })).toBe(0)
    expect(out.join('')).toContain('  t1_plan: true\n')
    expect(out.join('')).toContain(
      '    runtime: llm\n    runtime_options:\n      provider: there\n      model: middle\n',
    )
    expect(err).toEqual(['warning: T4/T5 runtime: standard (fallback)'])
  })

  it('prints each faulty line instead', async () => {
    const { context, out, file } = machine({
      'team.yaml': 'visibility:\n  inspection_gates: { t1_plan: false }\nlimts: 1\n',
    })
    expect(await examineTeamFile(context, { team: file('team.yaml') })).toBe(1)
    expect(out).toEqual([
      `${file('team.yaml')}:2:32: error: visibility.inspection_gates.t1_plan: t1_plan gate is mandatory`,
      `${file('team.yaml')}:3:1: error: limts: unknown key; did you mean "limits"?`,
    ])
  })

  it('reports options that no available runtime supports', async () => {
    const { context, out, file } = machine({
      'team.yaml': `${twoProviders.replace('there', 'nobody')}tiers:\n  t4: { options: { effort: much } }\n`,
    })
    expect(await examineTeamFile(context, { team: file('team.yaml') })).toBe(1)
    expect(out).toHaveLength(2)
    expect(out[0]).toContain(':4:12: error: capabilities.capable: the llm runtime: unknown provider "nobody"')
    expect(out[1]).toContain(':7:18: error: tiers.t4.options: the llm runtime: effort: ')
  })

  it('reports missing talent and a wrong mapping at their lines', async () => {
    const { context, out, file } = machine({
      'team.yaml': `${twoProviders}talent:\n  path: /no/pool\n`,
      'map.yaml': 'rolls: []\n',
    })
    expect(await examineTeamFile(context, { team: file('team.yaml') })).toBe(1)
    writeFileSync(file('team.yaml'), `${twoProviders}talent: { registry: ${file('map.yaml')} }\n`)
    expect(await examineTeamFile(context, { team: file('team.yaml') })).toBe(1)
    expect(out).toHaveLength(2)
    expect(out[0]).toBe(`${file('team.yaml')}:7:9: error: talent.path: there is no folder /no/pool`)
    expect(out[1]).toContain(`:6:21: error: talent.registry: ${file('map.yaml')}:1:1: the registry has no "rolls"`)
  })

  it('reports an unknown provider also without any model, and does not treat a missing key as a fault', async () => {
    const { context, out, err, file } = machine({
      'config.yaml': '{}\n',
      'team.yaml': 'capabilities:\n  capable: { provider: nobody, model: m }\n',
      'keyless.yaml': twoProviders.replaceAll(/here|there/g, 'anthropic'),
    })
    expect(await examineTeamFile(context, { team: file('team.yaml') })).toBe(1)
    expect(out).toHaveLength(1)
    expect(out[0]).toContain(':2:12: error: capabilities.capable: the llm runtime: unknown provider "nobody"')
    expect(await examineTeamFile(context, { team: file('keyless.yaml') })).toBe(0)
    expect(err.join('\n')).toContain('none of ANTHROPIC_API_KEY, OPENAI_API_KEY is set in this shell')
  })

  it('states that a missing key is missing in this shell', async () => {
    const { context, out, file } = machine({ 'team.yaml': twoProviders.replace('there', 'openai') })
    expect(await examineTeamFile(context, { team: file('team.yaml') })).toBe(1)
    expect(out[0]).toContain('"openai" has no key: OPENAI_API_KEY is not set in this shell')
  })

  it('prints JSON, and reports a missing file', async () => {
    const { context, out, file } = machine({ 'team.yaml': twoProviders })
    expect(await examineTeamFile(context, { team: file('team.yaml'), json: true })).toBe(0)
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ ok: true, team: { tiers: { t4: { capability: 'fast-cheap' } } } })
    expect(await examineTeamFile(context, { team: file('none.yaml') })).toBe(1)
    expect(out[1]).toContain('none.yaml cannot be read')
  })
})

describe('agency inspect --tiers', () => {
  it('prints the cast of each tier from the team file of the home', async () => {
    const { context, out } = machine({ 'team.yaml': twoProviders })
    expect(await showTiers(context, undefined, {})).toBe(0)
    expect(out.map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'TIER | ROLE | OWNS | CAPABILITY | RUNTIME | MODEL',
      'T1 | Visionary | goal, constraints, dispatch plan, final acceptance | reasoning-heavy | llm | here large',
      'T2 | Architect | system design, interface contracts, workstream boundaries | reasoning-heavy | llm | here large',
      'T3 | Squad Lead | workstream delivery, T4 management, quality gate | capable | llm | there middle',
      'T4 | Implementer | one atomic task: one file, function or test | fast-cheap | llm | here small',
      'T5 | Verifier | correctness and intent alignment | capable | llm | there middle',
    ])
  })

  it('prints it also without a file and without an agent, and names the missing parts', async () => {
    const { context, out, err } = machine()
    expect(await showTiers(context, undefined, {})).toBe(0)
    expect(out[4]).toMatch(/^T4 .* fast-cheap +llm +–$/)
    expect(err[0]).toBe('warning: T4/T5 runtime: standard (fallback)')
    expect(err[1]).toContain('--runtime scripted')
  })

  it('refuses a faulty file', async () => {
    const { context, out, err } = machine({ 'team.yaml': 'tiers: 1' })
    expect(await showTiers(context, undefined, {})).toBe(1)
    expect(out).toEqual([])
    expect(err[0]).toContain('team.yaml:1:8: error: tiers: expected object, received number')
  })
})
