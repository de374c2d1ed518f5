import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { startAgency } from '../../../test/support/api.ts'
import { freshSqlite } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { sqlOf } from '../../db/tx.ts'
import { PlanInput } from './contract.ts'
import { planLines } from './cli.ts'

/** Starts an agency with two personas: an author and a possible verifier. */
async function start() {
  const { db } = await freshSqlite()
  const { agency, org } = await startAgency(db)
  for (const name of ['Robbo', 'Kim'])
    await org.personas.create(operator, {
      name,
      role: 'developer',
      type: 'agent',
      subtype: 'internal',
      canCreateChannel: false,
    })
  const slugs = (await org.personas.list({ all: false, active: false })).personas.map((each) => each.slug)
  const input = (plan: string, more: object = {}) => PlanInput.parse({ plan, ...more })
  return {
    agency,
    org,
    slugOf: (name: string) => slugs.find((slug) => slug.includes(name)) as string,
    check: (plan: string, more?: object) => agency.plans.check(input(plan, more)),
    run: (plan: string, more?: object) => agency.plans.run(operator, input(plan, more)),
    events: () => db.read((tx) => sqlOf(tx).all('SELECT COUNT(*) AS n FROM events')),
  }
}

const poem = `
goal: Two poems
runtime: scripted
runtime_options: { scenario: { steps: [{ hang: {} }] } }
briefs:
  - { id: river, objective: Write about rivers }
  - { id: sea, objective: Write about the sea, after: river, evidence: [{ kind: file, path: sea.txt }] }
`

describe('a plan', () => {
  it('becomes a run with its briefs in order', async () => {
    const { agency, run } = await start()
    const started = await run(poem)
    expect(started).toMatchObject({ goalAnchor: 'Two poems', briefsTotal: 2, simulated: true })
    const { briefs } = await agency.runs.inspect(started.id, 0)
    expect(briefs).toMatchObject([
      { key: 'river', unmetDependencies: 0, runtime: 'scripted' },
      { key: 'sea', unmetDependencies: 1, evidence: [{ kind: 'file', path: 'sea.txt', minBytes: 1 }] },
    ])
    await agency.runs.cancel(operator, started.id, undefined)
  })

  it('is previewed without starting anything', async () => {
    const { check, events } = await start()
    const before = await events()
    expect(await check(poem)).toEqual({
      valid: true,
      faults: [],
      goal: 'Two poems',
      files: [],
      briefs: [
        {
          key: 'river',
          title: 'Write about rivers',
          level: 1,
          after: [],
          evidence: [],
          runtime: null,
          persona: null,
          verifier: null,
        },
        {
          key: 'sea',
          title: 'Write about the sea',
          level: 2,
          after: ['river'],
          evidence: ['file sea.txt'],
          runtime: null,
          persona: null,
          verifier: null,
        },
      ],
    })
    expect(await events()).toEqual(before)
  })

  it('is overridden by values of the command', async () => {
    const { check } = await start()
    expect(await check(poem, { goal: 'Other poems' })).toMatchObject({ goal: 'Other poems' })
    const withoutGoal = poem.replace('goal: Two poems', '')
    expect(await check(withoutGoal, { goal: 'Mine' })).toMatchObject({ valid: true, goal: 'Mine' })
    expect(await check(withoutGoal)).toMatchObject({
      valid: false,
      faults: [{ message: 'the plan has no goal; add one to the file or to the command' }],
    })
  })

  it('may name only existing personas, and no author as verifier', async () => {
    const { check, slugOf } = await start()
    const cast = (who: string) => poem.replace('id: river,', `id: river, ${who},`)
    const [robbo, kim] = [slugOf('robbo'), slugOf('kim')]
    expect(await check(cast(`persona: ${robbo}, verifier: ${kim}`))).toMatchObject({ valid: true })
    expect(await check(cast(`persona: Robbo, verifier: Kim`))).toMatchObject({ valid: true })
    expect(await check(cast(`persona: ${robbo}, verifier: Robbo`))).toMatchObject({
      valid: false,
      faults: [{ line: 6, message: 'brief "river": Robbo does the work and cannot verify it', subject: 'river' }],
    })
    expect(await check(cast(`persona: Robba, verifier: Nobody at all`))).toMatchObject({
      faults: [
        { line: 6, column: 27, message: 'brief "river": persona: no persona "Robba". Did you mean "Robbo"?' },
        { line: 6, message: expect.stringContaining('verifier: no persona "Nobody at all"') as string },
      ],
    })
  })

  it('is refused like a run: people and archived personas, and a verifier without verification', async () => {
    const { agency, org, check, run, slugOf } = await start()
    const cast = (who: string) => poem.replace('id: river,', `id: river, ${who},`)
    await org.personas.archive(operator, slugOf('kim'), { unassign: false, preview: false })
    for (const [plan, message] of [
      [cast('persona: operator'), /^brief "river": persona: "operator" is a person; a run can start only agents$/],
      [cast(`verifier: ${slugOf('kim')}`), /^brief "river": verifier: ".+" is archived\. Restore /],
      [cast('verifier: Robbo, verify: none'), /^brief "river" names a verifier, but has verify: none$/],
    ] as const)
      expect(await check(plan)).toMatchObject({
        valid: false,
        faults: [{ line: 6, message: expect.stringMatching(message) as string }],
      })
    const unjudged = `verifier_runtime: magic\n${poem}`
    expect(await check(unjudged)).toMatchObject({
      faults: [{ line: 1, message: 'there is no runtime "magic". There are: scripted.' }],
    })
    await expect(run(unjudged)).rejects.toThrow('there is no runtime "magic"')
    expect((await agency.runs.list({ limit: 10 } as never)).runs).toEqual([])
  })

  it('with thousands of unknown personas reports only some of them', async () => {
    const { check } = await start()
    const briefs = Array.from({ length: 3_000 }, (_, at) => `  - { id: b${at}, objective: Do, persona: Nobody ${at} }`)
    expect((await check(`goal: Much\nruntime: scripted\nbriefs:\n${briefs.join('\n')}`)).faults).toHaveLength(200)
  })

  it('may name only existing runtimes, with options that they accept', async () => {
    const { check } = await start()
    const by = (what: string) => poem.replace('id: river,', `id: river, ${what},`)
    expect(await check(by('runtime: magic'))).toMatchObject({
      faults: [{ line: 6, message: 'brief "river": unknown runtime "magic"; available: scripted' }],
    })
    expect(await check(by('runtime_options: { scenario: no-such-scenario }'))).toMatchObject({
      faults: [{ line: 6, column: 35, subject: 'river' }],
    })
    expect(await check(poem.replace('runtime: scripted', 'runtime: magic'))).toMatchObject({
      faults: [{ line: 3, column: 10, message: 'unknown runtime "magic"; available: scripted' }],
    })
    expect(await check(poem.replace(/scenario: .*/, 'scenario: 5 }'))).toMatchObject({ faults: [{ line: 4 }] })
  })

  it('with faults starts nothing and reports their location', async () => {
    const { run, events } = await start()
    const before = await events()
    await expect(run(poem.replace('after: river', 'after: rivers'))).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'line 7, column 55: brief "sea" waits for "rivers", which is not in the plan; did you mean "river"?',
      data: { faults: [{ line: 7, column: 55, severity: 'error' }] },
    })
    expect(await events()).toEqual(before)
  })

  it('larger than 4 MB is not read', async () => {
    const { check } = await start()
    await expect(check(`goal: ${'x'.repeat(4_100_000)}`)).rejects.toMatchObject({ code: 'too_large' })
  })

  it('of 5,000 briefs works while other requests are served', async () => {
    const { agency, run } = await start()
    const briefs = Array.from(
      { length: 5_000 },
      (_, index) => `  - { id: b${index}, objective: Do ${index}, after: [${index === 0 ? '' : `b${index - 1}`}] }`,
    )
    // If the plan were read in this thread, the timer would not fire.
    let beats = 0
    const beating = setInterval(() => (beats += 1), 10)
    const input = `goal: Much\nruntime: scripted\nruntime_options: { scenario: { steps: [{ hang: {} }] } }\nbriefs:\n${briefs.join('\n')}`
    const { briefs: planned } = await agency.plans.check(PlanInput.parse({ plan: input }))
    clearInterval(beating)
    expect(planned).toHaveLength(5_000)
    expect(planned.at(-1)).toMatchObject({ key: 'b4999', level: 5_000 })
    expect(beats).toBeGreaterThan(5)
    const started = await run(input)
    expect(started.briefsTotal).toBe(5_000)
    await agency.runs.cancel(operator, started.id, undefined)
  })
})

it('is printed level by level', async () => {
  const { check } = await start()
  const terminal = { out: () => {}, err: () => {}, isTty: false, columns: 80, colour: false }
  const brief = (id: string, more = '') => `  - { id: ${id}, objective: Do ${id}${more} }\n`
  const checked = await check(
    `goal: Build\nruntime: scripted\nbriefs:\n${brief('a')}${brief('b', ', evidence: [{ kind: command, run: npm test }]')}${brief('c', ', after: [a, b]')}`,
  )
  expect(planLines(terminal, checked)).toEqual([
    'Build',
    '3 briefs in 2 levels',
    '',
    '1  waits for nothing',
    '├ a  Do a',
    '└ b  Do b',
    '    $ npm test',
    '',
    '2  waits for level 1',
    '└ c  Do c  after a, b',
  ])
})

it('has an example in the documentation that works', async () => {
  const page = readFileSync(new URL('../../../docs/plans.md', import.meta.url), 'utf8')
  const [example] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] as string)
  const { check, slugOf } = await start()
  const plan = (example as string)
    .replaceAll('developer-robbo-1', slugOf('robbo'))
    .replaceAll('developer-kim-2', slugOf('kim'))
  const checked = await check(plan)
  expect(checked.faults).toEqual([])
  expect(checked.briefs.map(({ key, level }) => [key, level])).toEqual([
    ['order', 1],
    ['texts', 1],
    ['server', 2],
    ['shop', 3],
  ])
})
