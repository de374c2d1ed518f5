import { expect, it } from 'vitest'

import { startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'

describeStores('the agents of a run', (openFresh) => {
  it('are listed with their briefs and closed when the run has ended; agents of other runs are not included', async () => {
    const agency = await startAgency(openFresh)
    const { agents } = agency
    const other = await agency.run({ play: [[{ hang: {} }]] })
    const run = await agency.run({
      play: [[{ exit: { code: 1 } }], [{ log: 'gate work' }, ...work]],
    })
    await agency.gate('work').reached
    await agency.until(async () => {
      const { agents: live } = await agents.list(undefined, 10)
      return live.length === 2 && live.every(({ state }) => state === 'working')
    })
    expect((await agents.list(run.id.slice(0, 10), 10)).agents).toMatchObject([
      { state: 'closed', outcome: 'crash', brief: 'main', runId: run.id, tier: null },
      { state: 'working', outcome: null, closedAt: null },
    ])
    expect((await agents.list(undefined, 10)).agents.map(({ runId, state }) => [runId, state])).toEqual([
      [other.id, 'working'],
      [run.id, 'working'],
    ])
    agency.gate('work').open()
    await agency.settled(run)
    expect((await agents.list(run.id, 10)).agents.map(({ state }) => state)).toEqual(['closed', 'closed'])
    expect((await agents.list(run.id, 1)).agents).toHaveLength(1)
    await agency.runs.cancel(operator, other.id, undefined)
    expect(await agents.list(undefined, 10)).toEqual({ agents: [] })
  })
})

describeStores('the texts that an agent was sent', (openFresh) => {
  const persona = 'You are Ada.\nDB_PASSWORD=hunter2\n'
  const sent = 'You are Ada.\nDB_PASSWORD=[redacted]\n'

  it('are its prompt and its whole system prompt, without secrets, with their hashes', async () => {
    const agency = await startAgency(openFresh, { personaText: async () => persona })
    const run = await agency.settled(await agency.run())
    const [agent] = (await agency.agents.list(run.id, 10)).agents
    const { attempts } = await agency.inspect(run)
    const shown = await agency.agents.prompt(agent?.agentId as number)
    expect(shown).toEqual({
      agentId: agent?.agentId,
      attemptId: attempts[0]?.id,
      runtime: 'scripted',
      systemPrompt: { text: sent, sha256: attempts[0]?.systemPromptSha256, changed: false },
      prompt: {
        text: agency.prompts.get(attempts[0]?.id as string),
        sha256: attempts[0]?.promptSha256,
        changed: false,
      },
    })
    expect(JSON.stringify(shown)).not.toContain('hunter2')
    expect(attempts[0]?.systemPromptSha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it('are shown as they are now, and a change after the start is named', async () => {
    const agency = await startAgency(openFresh, { personaText: async () => persona })
    const run = await agency.settled(await agency.run())
    const [agent] = (await agency.agents.list(run.id, 10)).agents
    agency.systemPrompts.set(agent?.attemptId as string, 'You are Eve.')
    expect(await agency.agents.prompt(agent?.agentId as number)).toMatchObject({
      systemPrompt: { text: 'You are Eve.', changed: true },
      prompt: { changed: false },
    })
    agency.systemPrompts.delete(agent?.attemptId as string)
    expect((await agency.agents.prompt(agent?.agentId as number)).systemPrompt).toEqual({
      text: null,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      changed: false,
    })
  })

  it('contain what a runtime adds, exactly as its agent received it', async () => {
    const scripted = createScriptedRuntime({ host: 'in-process' })
    const received: (string | undefined)[] = []
    const adding = {
      ...scripted,
      name: 'adding',
      systemPromptOf: async ({ text }: { text: string }) => `${text}\n\nAnd use tabs.`,
      launch: async (launch: Parameters<typeof scripted.launch>[0]) => {
        received.push(launch.systemPrompt)
        return scripted.launch(launch)
      },
    }
    const agency = await startAgency(openFresh, { personaText: async () => persona, runtimes: [adding] })
    const run = await agency.run({ runtime: 'adding', play: [[{ hang: {} }]] })
    const agent = await agency.until(async () => {
      const [first] = (await agency.agents.list(run.id, 10)).agents
      return first?.state === 'working' && first
    })
    const { systemPrompt } = await agency.agents.prompt(agent.agentId)
    expect(systemPrompt?.text).toMatch(/And use tabs\.$/)
    expect(received).toEqual([systemPrompt?.text])
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('have no system prompt if the runtime of the agent sends none', async () => {
    const { systemPromptOf: _, ...plain } = createScriptedRuntime({ host: 'in-process' })
    const agency = await startAgency(openFresh, {
      personaText: async () => persona,
      runtimes: [{ ...plain, name: 'plain' }],
    })
    const run = await agency.settled(await agency.run({ runtime: 'plain' }))
    const [agent] = (await agency.agents.list(run.id, 10)).agents
    expect(await agency.agents.prompt(agent?.agentId as number)).toMatchObject({
      systemPrompt: null,
      prompt: { changed: false },
    })
  })

  it('are those of one agent: an unknown number is refused', async () => {
    const agency = await startAgency(openFresh)
    await expect(agency.agents.prompt(99)).rejects.toMatchObject({ code: 'not_found' })
    await expect(agency.agents.show(99)).rejects.toMatchObject({ code: 'not_found' })
  })
})
