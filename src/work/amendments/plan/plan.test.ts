import { expect, it } from 'vitest'

import { agentOf, startAgency, type TestAgency, work } from '../../../../test/support/agency.ts'
import { describeStores } from '../../../../test/support/store.ts'
import { operator } from '../../../../test/support/work.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { Run } from '../../runs/contract.ts'
import { AmendPlan } from '../contract.ts'

/** A plan whose first brief waits at the gate "go" until the test opens it. */
const briefs = [
  { key: 'river', objective: 'Write about rivers' },
  { key: 'sea', objective: 'Write about the sea', after: ['river'] },
  { key: 'booklet', objective: 'Bind both poems', after: ['river', 'sea'] },
]
const document = `
goal: Do it
briefs:
  - { id: river, objective: Write about rivers }
  - { id: sea, objective: Write about the sea, after: river }
  - { id: booklet, objective: Bind both poems, after: [river, sea] }
`

async function underWay(agency: TestAgency, more: object = {}): Promise<Run> {
  const run = await agency.run({ briefs, play: [[{ log: 'gate go' }, ...work]], ...more } as never)
  await agency.gate('go').reached
  return run
}

const amend = (agency: TestAgency, { id }: Run, change: object, by: Actor = operator) =>
  agency.amendments.amendPlan(by, AmendPlan.parse({ runId: id, reason: 'The sea is far', ...change }))

/** Lists the briefs of a run with the keys that each waits for. */
async function shape(agency: TestAgency, run: Run): Promise<Record<string, string>> {
  const { briefs: rows, dependencies } = await agency.inspect(run)
  const keyOf = (id: string) => rows.find((brief) => brief.id === id)?.key
  return Object.fromEntries(
    rows.map(({ id, key, status }) => {
      const after = dependencies.filter(({ briefId }) => briefId === id).map(({ afterId }) => keyOf(afterId))
      return [key, [status, ...after.sort()].join(' ')]
    }),
  )
}

const started = { river: 'working', sea: 'pending river', booklet: 'pending river sea' }

describeStores('an amendment of a plan', (openFresh) => {
  it('adds, changes and removes briefs as its document says, in one version with a diff', async () => {
    const agency = await startAgency(openFresh)
    const run = await underWay(agency)
    const amendment = await amend(agency, run, {
      plan: document
        .replace(
          '{ id: sea, objective: Write about the sea, after: river }',
          '{ id: lake, objective: Write about lakes }',
        )
        .replace('Bind both poems, after: [river, sea]', 'Bind the poems, after: [river, lake]'),
    })
    expect(amendment).toMatchObject({
      kind: 'plan',
      status: 'applied',
      proposedBy: 'operator',
      workstream: null,
      version: 2,
      touched: ['lake', 'booklet', 'sea'],
      changes: {
        add: [{ key: 'lake', objective: 'Write about lakes' }],
        change: [{ key: 'booklet', objective: 'Bind the poems', after: ['river', 'lake'] }],
        remove: ['sea'],
      },
    })
    expect(amendment.diff?.split('\n')).toEqual([
      '--- plan, version 1',
      '+++ plan, version 2',
      '@@ lake @@',
      '+key: lake',
      '+title: Write about lakes',
      '+objective: Write about lakes',
      '+evidence:',
      '+  - kind: artifact',
      '+after: []',
      '@@ booklet @@',
      ' key: booklet',
      '-title: Bind both poems',
      '-objective: Bind both poems',
      '+title: Bind the poems',
      '+objective: Bind the poems',
      ' evidence:',
      '   - kind: artifact',
      ' after:',
      '+  - lake',
      '   - river',
      '-  - sea',
      '@@ sea @@',
      '-key: sea',
      '-title: Write about the sea',
      '-objective: Write about the sea',
      '-evidence:',
      '-  - kind: artifact',
      '-after:',
      '-  - river',
    ])
    expect((await agency.inspect(run)).amendments).toEqual([amendment])
    expect((await agency.events(run)).filter(({ kind }) => kind === 'plan_amended')).toMatchObject([
      {
        level: 'normal',
        code: 'AMEND',
        message: 'plan version 2 adds lake, changes booklet, removes sea, by operator: The sea is far',
        data: { version: 2, added: ['lake'], changed: ['booklet'], removed: ['sea'] },
      },
    ])
    // The new brief waits for nothing, and starts without another event.
    await agency.until(async () => (await agency.brief(run, 'lake')).status === 'working')
    const { artifacts, documents } = await agency.inspect(run)
    expect(artifacts.filter(({ name }) => name === 'plan')).toMatchObject([
      { version: 1, author: 'engine', briefId: null },
      { version: 2, author: 'operator', briefId: null },
    ])
    expect(documents['plan']).toMatchObject({
      goal: 'Do it',
      briefs: [{ key: 'river' }, { key: 'booklet', objective: 'Bind the poems' }, { key: 'lake' }],
    })
    agency.gate('go').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(await shape(agency, run)).toEqual({
      river: 'done',
      sea: 'cancelled river',
      booklet: 'done lake river',
      lake: 'done',
    })
  })

  it('is refused whole if it touches a brief that has begun', async () => {
    const agency = await startAgency(openFresh)
    const run = await underWay(agency)
    const ofOperator = async () => (await agency.events(run)).filter(({ by }) => by === 'operator').length
    const before = await ofOperator()
    await expect(
      amend(agency, run, { plan: document.replace('Write about rivers', 'Write about brooks').replace('both', 'all') }),
    ).rejects.toMatchObject({
      code: 'illegal_transition',
      message: 'this brief has begun and cannot be changed: river (working)',
      data: { keys: ['river'] },
    })
    await expect(amend(agency, run, { remove: ['sea', 'river'] })).rejects.toMatchObject({
      message: 'this brief has begun and cannot be changed: river (working)',
    })
    expect(await shape(agency, run)).toEqual(started)
    expect(await ofOperator()).toBe(before)
    agency.gate('go').open()
    await agency.settled(run)
    await expect(amend(agency, run, { remove: ['sea'] })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `run ${run.id} is done: its plan can no longer change`,
    })
  })

  it('is refused if the plan has another version by now, also when two arrive together', async () => {
    const agency = await startAgency(openFresh)
    const run = await underWay(agency)
    const two = await Promise.allSettled([
      amend(agency, run, { add: [{ key: 'lake', objective: 'Write about lakes' }] }),
      amend(agency, run, { add: [{ key: 'pond', objective: 'Write about ponds' }] }),
    ])
    expect(two.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(two.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: {
        code: 'conflict',
        message: `the plan of run ${run.id} has version 2, and this amendment was made from 1`,
        hint: `Compare it with "agency inspect ${run.id} --amendments", then amend again with --base 2.`,
      },
    })
    expect((await agency.inspect(run)).amendments).toHaveLength(1)
    expect(await amend(agency, run, { base: 2, remove: ['booklet'] })).toMatchObject({ version: 3 })
    await expect(amend(agency, run, { base: 4, remove: ['sea'] })).rejects.toMatchObject({ code: 'conflict' })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('is refused with a plan that is empty, the same, faulty, or of another run', async () => {
    const agency = await startAgency(openFresh)
    const run = await underWay(agency)
    const refused: [object, object][] = [
      [{ plan: '\n' }, { code: 'invalid_input', message: 'line 1, column 1: the plan is empty' }],
      [{ plan: document.replace(/briefs:[^]*/, 'briefs: []') }, { code: 'invalid_input' }],
      [{ plan: document }, { message: 'the amended plan is the same as the current one' }],
      [{}, { message: 'the amended plan is the same as the current one' }],
      [
        { plan: document.replace('Do it', 'Do something else') },
        { message: `the goal of the plan is not that of run ${run.id}` },
      ],
      [{ plan: document.replace('Bind both poems', 'Bind both poems, runtime: elsewhere') }, { code: 'invalid_input' }],
      [
        { plan: document.replace('Bind both poems', 'Bind both poems, verify: agent, token_budget: 9') },
        { message: 'brief "booklet": an amendment cannot change verify, token_budget' },
      ],
      [{ plan: document, remove: ['sea'] }, { code: 'invalid_input' }],
      [{ add: [{ key: 'sea', objective: 'x' }] }, { code: 'conflict', message: 'the run has a brief "sea" already' }],
      [{ remove: ['sea'] }, { message: 'brief "booklet" waits for "sea", which is not in the plan' }],
      [{ remove: ['sea', 'sea'] }, { message: 'brief "sea" is named twice by the amendment' }],
      [{ remove: ['lake'] }, { code: 'not_found', hint: 'There are: river, sea, booklet.' }],
      [
        { change: [{ key: 'sea', after: ['booklet'] }] },
        { message: 'these briefs depend on each other in a cycle: sea, booklet' },
      ],
      [
        { change: [{ key: 'sea', after: ['sea'] }] },
        { message: 'these briefs depend on each other in a cycle: sea, booklet' },
      ],
    ]
    for (const [change, error] of refused) await expect(amend(agency, run, change)).rejects.toMatchObject(error)
    expect(await shape(agency, run)).toEqual(started)
    expect((await agency.inspect(run)).amendments).toEqual([])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('cannot name the key of a cancelled brief, nor wait for it', async () => {
    const agency = await startAgency(openFresh)
    const run = await underWay(agency)
    await amend(agency, run, { remove: ['booklet'] })
    await expect(amend(agency, run, { base: 2, plan: document })).rejects.toMatchObject({
      code: 'conflict',
      message: 'the key "booklet" belongs to a cancelled brief of this run',
    })
    await expect(
      amend(agency, run, { base: 2, add: [{ key: 'cover', objective: 'Draw it', after: ['booklet'] }] }),
    ).rejects.toMatchObject({ message: 'brief "cover" would wait for "booklet", which is cancelled' })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('ends the run when it removes the last open briefs', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ briefs: briefs.slice(0, 2), planGate: false } as never)
    await agency.until(async () => (await agency.inspect(run)).briefs.some(({ status }) => status === 'done'))
    await agency.settled(run)
    const other = await underWay(agency)
    await amend(agency, other, { remove: ['sea', 'booklet'] })
    agency.gate('go').open()
    expect(await agency.settled(other)).toMatchObject({ status: 'done', briefsDone: 1 })
  })

  it('is named by the gate of a plan that waits for approval', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ briefs, planGate: true } as never)
    const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
    await amend(agency, run, { change: [{ key: 'sea', objective: 'Write about the ocean' }] })
    expect((await agency.gates.ofRun(run.id)).gates[0]?.summary.amendments).toEqual([
      'plan version 2 changes sea, by operator: The sea is far',
    ])
    await agency.gates.approve(operator, { target: gate.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 3 })
    expect(await agency.brief(run, 'sea')).toMatchObject({
      objective: 'Write about the ocean',
      title: 'Write about the ocean',
    })
  })

  it('is refused while the result waits for acceptance', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ briefs: briefs.slice(0, 1), acceptance: 'operator' } as never)
    const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
    await expect(amend(agency, run, { add: [{ key: 'lake', objective: 'x' }] })).rejects.toMatchObject({
      code: 'illegal_transition',
      hint: `Reject the result first: agency reject ${run.id} --reason <text>`,
    })
    await agency.gates.approve(operator, { target: gate.id })
    await agency.settled(run)
  })

  it('changes evidence, and with it whether a verifier judges', async () => {
    const agency = await startAgency(openFresh)
    const run = await underWay(agency, { verify: 'auto' })
    expect(await agency.brief(run, 'sea')).toMatchObject({ verify: 'agent', checkable: false })
    await amend(agency, run, { change: [{ key: 'sea', evidence: [{ kind: 'file', path: 'result.md' }] }] })
    expect(await agency.brief(run, 'sea')).toMatchObject({
      verify: 'none',
      checkable: true,
      evidence: [{ kind: 'file', path: 'result.md' }],
    })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('is refused for a run in tiers, with the command for its paths', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ goal: 'Build it', playbook: 'tiered', runtimeOptions: {} })
    await expect(amend(agency, run, { add: [{ key: 'lake', objective: 'x' }] })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `the playbook "tiered" divides the work of run ${run.id} itself`,
    })
    await agency.runs.cancel(operator, run.id, undefined)
  })
})

describeStores('a change of the plan that an agent wants', (openFresh) => {
  const proposed = async (agency: TestAgency, change: object, more: object = {}) => {
    const run = await underWay(agency, more)
    const [attempt] = (await agency.inspect(run)).attempts
    const agent = agentOf(attempt as never)
    return { run, agent, amendment: await amend(agency, run, change, agent) }
  }
  const lake = { add: [{ key: 'lake', objective: 'Write about lakes', after: ['river'] }] }

  it('waits for the operator, and is made when the operator approves', async () => {
    const agency = await startAgency(openFresh)
    const { run, agent, amendment } = await proposed(agency, lake, { verify: 'auto' })
    expect(amendment).toMatchObject({ status: 'proposed', version: 2, touched: ['lake'] })
    expect(amendment.diff).toContain('+objective: Write about lakes')
    expect(await shape(agency, run)).toEqual(started)
    const gate = (await agency.gates.ofRun(run.id)).gates[0]
    expect(gate).toMatchObject({ id: amendment.gateId, gate: 'amendment', status: 'pending' })
    expect(gate?.summary.produced).toContain('proposes plan version 2 adds lake')
    await expect(amend(agency, run, { remove: ['booklet'] }, agent)).rejects.toMatchObject({
      code: 'conflict',
      message: 'a change of this plan waits for the operator already',
    })
    await agency.gates.approve(operator, { target: amendment.gateId as string })
    expect((await agency.inspect(run)).amendments).toMatchObject([{ id: amendment.id, status: 'applied' }])
    expect(await agency.brief(run, 'lake')).toMatchObject({ verify: 'agent', status: 'pending' })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('is not made when the operator rejects it, or has amended the plan meanwhile', async () => {
    const agency = await startAgency(openFresh)
    const { run, agent, amendment } = await proposed(agency, lake)
    await agency.gates.reject(operator, { target: amendment.gateId as string, reason: 'No lakes' })
    await expect(amend(agency, run, lake, agent)).rejects.toMatchObject({
      message: 'the operator has rejected this change',
    })
    const again = await amend(agency, run, { remove: ['booklet'] }, agent)
    await amend(agency, run, { change: [{ key: 'sea', context: 'Be short' }] })
    await agency.gates.approve(operator, { target: again.gateId as string })
    expect((await agency.inspect(run)).amendments).toMatchObject([
      { status: 'rejected' },
      { status: 'rejected' },
      { status: 'applied', version: 2 },
    ])
    expect((await agency.events(run)).findLast(({ code }) => code === 'AMEND')?.message).toBe(
      'the plan stays as it is: it has version 2 by now',
    )
    expect(await shape(agency, run)).toEqual(started)
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('cannot choose a runtime, a command, an unverified brief, a document or another run', async () => {
    const agency = await startAgency(openFresh)
    const { run, agent, amendment } = await proposed(agency, lake)
    await agency.gates.reject(operator, { target: amendment.gateId as string, reason: 'No lakes' })
    const add = (more: object) => ({ add: [{ key: 'pond', objective: 'Write about ponds', ...more }] })
    for (const [change, error] of [
      [add({ runtime: 'scripted' }), { code: 'invalid_input' }],
      [add({ verify: 'none' }), { code: 'invalid_input' }],
      [add({ evidence: [{ kind: 'command', run: 'true' }] }), { code: 'invalid_input' }],
      [{ change: [{ key: 'sea', evidence: [{ kind: 'command', run: 'true' }] }] }, { code: 'invalid_input' }],
      [{ plan: document }, { code: 'forbidden' }],
    ] as const)
      await expect(amend(agency, run, change, agent)).rejects.toMatchObject(error)
    const other = await agency.run({ briefs } as never)
    await expect(amend(agency, other, add({}), agent)).rejects.toMatchObject({ code: 'not_found' })
    for (const each of [run, other]) await agency.runs.cancel(operator, each.id, undefined)
    await expect(amend(agency, run, add({}), agent)).rejects.toMatchObject({ code: 'stale_fence' })
  })

  it('gives a brief a verifier when it replaces its own evidence', async () => {
    const agency = await startAgency(openFresh)
    const evidence = [{ kind: 'command', run: 'npm test' }]
    const plan = [briefs[0], { key: 'sea', objective: 'Write about the sea', after: ['river'], evidence }]
    const change = { change: [{ key: 'sea', evidence: [{ kind: 'artifact' }] }] }
    const { run, amendment } = await proposed(agency, change, { verify: 'auto', briefs: plan })
    await agency.gates.approve(operator, { target: amendment.gateId as string })
    expect(await agency.brief(run, 'sea')).toMatchObject({ verify: 'agent', checkable: false })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('shows all other fields that its author chose for a new brief', async () => {
    const agency = await startAgency(openFresh)
    const pond = {
      key: 'pond',
      objective: 'Write about ponds',
      costLimit: 900,
      tokenBudget: 7_000_000,
      retryBudget: 19,
    }
    const { run, amendment } = await proposed(agency, { add: [pond] })
    const gate = (await agency.gates.ofRun(run.id)).gates[0]
    for (const line of ['+cost_limit: 900', '+token_budget: 7000000', '+retry_budget: 19'])
      expect(gate?.summary.produced.split('\n')).toContain(line)
    await agency.gates.approve(operator, { target: amendment.gateId as string })
    expect((await agency.inspect(run)).amendments).toMatchObject([{ status: 'applied', diff: amendment.diff }])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it.for([
    ['auto', 'approve'],
    ['auto', 'reject'],
    ['operator', 'approve'],
    ['operator', 'reject'],
  ] as const)('keeps a run of acceptance %s open until the operator can %s it', async ([acceptance, decision]) => {
    const agency = await startAgency(openFresh)
    const alone = { briefs: [{ key: 'river', objective: 'Write about rivers' }], acceptance }
    const { run, amendment } = await proposed(agency, lake, alone)
    await agency.gate('go').open()
    const ends = acceptance === 'operator' ? 'verified' : 'done'
    await agency.until(async () => ((await agency.brief(run, 'river')).status === ends ? true : null))
    const target = amendment.gateId as string
    if (decision === 'approve') await agency.gates.approve(operator, { target })
    else await agency.gates.reject(operator, { target, reason: 'No lakes' })
    if (acceptance === 'operator') {
      const accepting = () => agency.inspect(run).then((seen) => (seen.run.status === 'accepting' ? true : null))
      await agency.until(accepting)
      await agency.gates.approve(operator, { target: run.id })
    }
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: decision === 'approve' ? 2 : 1 })
  })

  it('keeps the verifier of a brief whose evidence it changes', async () => {
    const agency = await startAgency(openFresh)
    const change = { change: [{ key: 'sea', evidence: [{ kind: 'file', path: 'result.md' }] }] }
    const { run, amendment } = await proposed(agency, change, { verify: 'auto' })
    await agency.gates.approve(operator, { target: amendment.gateId as string })
    expect(await agency.brief(run, 'sea')).toMatchObject({ verify: 'agent', evidence: [{ kind: 'file' }] })
    await agency.runs.cancel(operator, run.id, undefined)
  })
})
