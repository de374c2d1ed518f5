// @suite process

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { approveMerge, briefOf, openProofs, pendingGate, proofsOf, writes } from '../../../test/support/proofs.ts'
import { operator } from '../../../test/support/work.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'

const files = { 'README.md': '# A\n' }

/** A command that leaves a line for each time that it runs; `times` counts those for the proof. */
function counted() {
  const folder = mkdtempSync(join(tmpdir(), 'agency-same-tree-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'count')
  writeFileSync(path, '')
  return {
    command: { kind: 'command', run: `echo ran >> ${path}` } as const,
    times: () => readFileSync(path, 'utf8').split('\n').length - 1,
    chaosPoint: (point: ChaosPointName) => {
      if (point === 'proof.begun') writeFileSync(path, '')
    },
  }
}

describe('a merged result with the same tree as the commit of a brief', () => {
  it('is proven by the check of that brief, and the gate, the event and the pull request say so', async () => {
    const { command, times, chaosPoint } = counted()
    const { agency, start } = await openProofs(files, { chaosPoint })
    const evidence = [command, { kind: 'file', path: 'a.txt' }]
    const run = await start([briefOf('a', evidence, writes('a.txt', 'a\n'))])
    const gate = await pendingGate(agency, run)
    expect(times()).toBe(0)
    const { head } = await agency.runs.show(run.id)
    const text = `Evidence 2/2 holds on the merged result ${head?.slice(0, 12)} (not run again: the same files were checked for a, fresh checkout, commands not boxed).`
    expect(gate.summary.produced).toContain(text)
    expect(await proofsOf(agency, run)).toMatchObject([
      { status: 'passed', checkedIn: 'checkout', detail: text, findings: [{ checkedFor: 'a' }, { checkedFor: 'a' }] },
    ])
    expect((await agency.pullRequests.ofRun(run.id)).proof).toMatchObject({ detail: text })
    const messages = (await agency.events(run))
      .filter(({ kind }) => kind.startsWith('proof_'))
      .map((each) => each.message)
    expect(messages).toEqual([expect.stringMatching(/^proving the merged result/), `✓ ${text}`])
    await approveMerge(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(times()).toBe(0)
  })

  it('is proven by the last of two briefs that build on each other and declare the same', async () => {
    const { command, times, chaosPoint } = counted()
    const { agency, start } = await openProofs(files, { chaosPoint })
    const run = await start([
      briefOf('a', [command], writes('a.txt', 'a\n')),
      briefOf('b', [command], writes('b.txt', 'b\n'), { after: ['a'] }),
    ])
    await pendingGate(agency, run)
    expect(times()).toBe(0)
    expect((await proofsOf(agency, run))[0]?.findings).toMatchObject([{ checkedFor: 'b', briefs: ['a', 'b'] }])
  })

  it.each([
    [
      'another brief declares more',
      (command: object) => [
        briefOf('a', [command, { kind: 'file', path: 'a.txt' }], writes('a.txt', 'a\n')),
        briefOf('b', [command], writes('b.txt', 'b\n'), { after: ['a'] }),
      ],
    ],
    [
      'a server answers, which may depend on the time',
      (command: object) => [
        briefOf('a', [command, { kind: 'http', start: server, url: 'http://127.0.0.1:{port}/' }], writes('a.txt', '')),
      ],
    ],
  ])('is checked again if %s', async (_, briefs) => {
    const { command, times, chaosPoint } = counted()
    const { agency, start } = await openProofs(files, { chaosPoint })
    const run = await start(briefs(command))
    await pendingGate(agency, run)
    expect(times()).toBe(1)
    expect((await proofsOf(agency, run))[0]?.findings.some(({ checkedFor }) => checkedFor !== undefined)).toBe(false)
  })

  it('is checked again if its briefs began at the same commit', async () => {
    const { command, times, chaosPoint } = counted()
    const { agency, start } = await openProofs(files, { chaosPoint })
    const gated = (key: string) => briefOf(key, [command], [{ log: `gate ${key}` }, ...writes(`${key}.txt`, 'a\n')])
    const run = await start([gated('a'), gated('b')])
    for (const key of ['a', 'b']) await agency.gate(key).reached
    for (const key of ['a', 'b']) agency.gate(key).open()
    await pendingGate(agency, run)
    expect(times()).toBe(1)
  })

  it('is checked again if the settings of the repository changed after the agent began', async () => {
    const { command, times, chaosPoint } = counted()
    const { agency, start, repository } = await openProofs(files, { chaosPoint })
    const run = await start([briefOf('a', [command], [{ log: 'gate go' }, ...writes('a.txt', 'a\n')])])
    await agency.gate('go').reached
    await agency.repositorySettings.set(operator, { path: repository.path, setup: 'true' })
    agency.gate('go').open()
    await pendingGate(agency, run)
    expect(times()).toBe(1)
  })

  it('is checked again if the check was long ago, unless only files are looked at', async () => {
    const { command, times, chaosPoint } = counted()
    const { agency, start } = await openProofs(files, {
      chaosPoint: (point) => {
        chaosPoint(point)
        if (point === 'proof.begun') agency.clock.advance(11 * 60_000)
      },
    })
    const first = await start([briefOf('a', [command], writes('a.txt', 'a\n'))])
    await pendingGate(agency, first)
    expect(times()).toBe(1)
    const second = await start([briefOf('a', [{ kind: 'file', path: 'a.txt' }], writes('a.txt', 'aa\n'))])
    await pendingGate(agency, second)
    expect((await proofsOf(agency, second))[0]?.findings).toMatchObject([{ checkedFor: 'a' }])
  })

  it('is checked again where the operator chose the agents’ workspaces', async () => {
    const { command, times, chaosPoint } = counted()
    const { agency, start, repository } = await openProofs(files, { chaosPoint })
    await agency.repositorySettings.set(operator, { path: repository.path, checks: 'workspace' })
    const run = await start([briefOf('a', [command], writes('a.txt', 'a\n'))])
    await pendingGate(agency, run)
    expect(times()).toBe(1)
  })
})

const server = `node -e "require('http').createServer((q, a) => a.end('ok')).listen(process.env.PORT, '127.0.0.1')"`
