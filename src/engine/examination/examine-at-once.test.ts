import { describe, expect, it } from 'vitest'

import { agentOf, openAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { EventKind } from '../../events/contract.ts'
import { createMemoryWorkspaces } from '../../workspaces/memory.ts'
import type { Workspace } from '../../workspaces/port.ts'

/** Opens an engine that calls `beforeRead` before it looks at a file. */
async function openLooking(beforeRead: (path: string) => Promise<unknown>): Promise<TestAgency> {
  const memory = createMemoryWorkspaces()
  const agency = await openAgency({
    workspaces: {
      ...memory,
      open: async (brief): Promise<Workspace> => {
        const workspace = await memory.open(brief)
        return {
          ...workspace,
          read: async (path, maxBytes) => {
            await beforeRead(path)
            return workspace.read(path, maxBytes)
          },
        }
      },
    },
  })
  await agency.engine.start()
  return agency
}

const kindsOf = async (agency: TestAgency, run: { id: string }): Promise<EventKind[]> =>
  (await agency.events(run)).map(({ kind }) => kind)

describe('work that is quick to examine', () => {
  it.each<[string, StepInput[]]>([
    ['through the API', [...work]],
    ['in its output', [{ report: { status: 'done', summary: 'Done.', outputs: [], via: 'stdout' } }]],
  ])('ends with its agent, if the agent reported %s', async (_, steps) => {
    const agency = await openAgency()
    await agency.engine.start()
    const started = await agency.run({
      play: [[{ write: { path: 'result.md', text: 'Done.\n' } }, ...steps]],
      evidence,
    })
    const run = await agency.settled(started)
    expect(run.status).toBe('done')
    expect(await kindsOf(agency, run)).not.toContain('agent_ended')
    expect((await agency.inspect(run)).attempts).toMatchObject([
      { status: 'ended', outcome: 'ok', exitCode: 0, report: { summary: 'Done.' }, ending: null },
    ])
    expect((await agency.inspect(run)).evidence).toMatchObject([{ passed: true }])
  })

  it('is sent back with its corrections', async () => {
    const agency = await openAgency()
    await agency.engine.start()
    const boast: StepInput[] = [{ report: { status: 'done', summary: 'Done.', outputs: ['gone.md'] } }]
    const run = await agency.settled(await agency.run({ play: [boast, work] }))
    expect(await kindsOf(agency, run)).not.toContain('agent_ended')
    expect((await agency.inspect(run)).attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['bad_output', expect.stringMatching(/^reported outputs: these are not delivered: "gone\.md"/)],
      ['ok', 'Done.'],
    ])
    expect(await agency.brief(run)).toMatchObject({ retriesUsed: 1 })
  })

  it('is recorded as reported first if there are many files', async () => {
    const agency = await openAgency()
    await agency.engine.start()
    const many = Array.from({ length: 17 }, () => evidence).flat()
    const run = await agency.settled(await agency.run({ evidence: many }))
    expect(run.status).toBe('done')
    expect(await kindsOf(agency, run)).toContain('agent_ended')
  })

  it('is recorded as reported first if the check takes long', async () => {
    const slow = Promise.withResolvers<void>()
    const looked = Promise.withResolvers<void>()
    const agency = await openLooking(() => {
      looked.resolve()
      return slow.promise
    })
    const started = await agency.run({ evidence })
    await looked.promise
    expect((await agency.inspect(started)).attempts).toMatchObject([{ status: 'running' }])
    agency.clock.advance(250)
    await agency.passed('examination.begun')
    expect((await agency.inspect(started)).attempts).toMatchObject([
      { status: 'examining', ending: { outcome: 'ok' }, report: { summary: 'Done.' } },
    ])
    slow.resolve()
    const run = await agency.settled(started)
    expect(run.status).toBe('done')
    expect((await agency.inspect(run)).attempts).toHaveLength(1)
  })

  it('is examined again if another report arrives meanwhile', async () => {
    const late = { status: 'done' as const, summary: 'Also this.', outputs: ['result.md', 'other.md'] }
    let sent = false
    const agency: TestAgency = await openLooking(async () => {
      if (sent) return
      sent = true
      const { attempts } = await agency.inspect(started)
      await agency.attempts.report(agentOf(attempts[0]!), late)
    })
    const started = await agency.run({ play: [[{ write: { path: 'other.md', text: 'More.\n' } }, ...work]] })
    const run = await agency.settled(started)
    const { attempts, artifacts } = await agency.inspect(run)
    expect(attempts).toMatchObject([{ outcome: 'ok', detail: 'Also this.', report: late }])
    expect(artifacts.map(({ name }) => name).sort()).toEqual(['other.md', 'result.md'])
  })

  it('does not end an attempt that was cancelled meanwhile', async () => {
    const looked = Promise.withResolvers<void>()
    const slow = Promise.withResolvers<void>()
    const agency = await openLooking(() => {
      looked.resolve()
      return slow.promise
    })
    const started = await agency.run({ evidence })
    await looked.promise
    await agency.runs.cancel(operator, started.id, undefined)
    slow.resolve()
    await agency.engine.idle()
    expect((await agency.inspect(started)).attempts).toMatchObject([{ status: 'ended', outcome: 'interrupted' }])
    expect(await kindsOf(agency, started)).not.toContain('evidence_checked')
  })
})

const evidence = [{ kind: 'file' as const, path: 'result.md' }]
