import { expect, it } from 'vitest'

import { opened, startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'

const verdict: StepInput = {
  report: { status: 'done', summary: 'Looked.', verdict: { verdict: 'pass', checked: opened('result.md') } },
}
const day = 24 * 3_600_000

describeStores('the place of a verifier without a repository', (openFresh) => {
  const judged = (...verify: StepInput[][]) => ({
    verify: 'all' as const,
    runtimeOptions: { scenario: { attempts: [work], verify } },
  })

  it('is a copy: files that the verifier leaves reach neither the work nor its next attempt', async () => {
    const agency = await startAgency(openFresh)
    const leave = [{ write: { path: 'left.txt', text: 'left' } }, { log: 'gate left' }, { crash: {} }] as StepInput[]
    const run = await agency.run(judged(leave, [{ log: 'gate again' }, verdict]))
    await agency.gate('left').reached
    const [doer, verifier] = (await agency.inspect(run)).briefs
    const filesOf = (id: string | undefined) => agency.workspaces.filesAt(`memory:${run.id}/${id}`)
    expect([...(filesOf(verifier?.id)?.keys() ?? [])]).toEqual(expect.arrayContaining(['result.md', 'left.txt']))
    agency.gate('left').open()
    await agency.gate('again').reached
    expect([...(filesOf(verifier?.id)?.keys() ?? [])]).not.toContain('left.txt')
    agency.gate('again').open()
    expect((await agency.settled(run)).status).toBe('done')
    expect([...(filesOf(doer?.id)?.keys() ?? [])]).not.toContain('left.txt')
  })

  it('does not prove work that was changed while it was judged', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run(judged([{ log: 'gate judge' }, verdict], [{ log: 'gate again' }, verdict]))
    await agency.gate('judge').reached
    const [doer] = (await agency.inspect(run)).briefs
    const files = agency.workspaces.filesAt(`memory:${run.id}/${doer?.id}`)
    const delivered = files?.get('result.md') as string
    files?.set('result.md', 'Worse.\n')
    agency.gate('judge').open()
    await agency.gate('again').reached
    const [, verification] = (await agency.inspect(run)).attempts
    expect(verification).toMatchObject({ outcome: 'bad_output' })
    expect(verification?.detail).toMatch(
      /another hash.*: the work was changed after it had been handed to its verifier/,
    )
    files?.set('result.md', delivered)
    agency.gate('again').open()
    // The copy of the second attempt was made while the file was changed.
    await agency.until(async () => (await agency.inspect(run)).attempts[2]?.status === 'ended')
    expect((await agency.inspect(run)).attempts[2]).toMatchObject({ outcome: 'bad_output' })
  })

  it('may get new files, but a changed file of the work makes its verdict bad output', async () => {
    const agency = await startAgency(openFresh)
    const also: StepInput = { write: { path: 'src/app.js', text: 'wrong' } }
    const mends: StepInput = { write: { path: 'src/app.js', text: 'right' } }
    const run = await agency.run({
      verify: 'all',
      verifierMode: 'yolo',
      runtimeOptions: {
        scenario: {
          attempts: [[also, ...work]],
          verify: [
            [mends, verdict],
            [{ write: { path: 'coverage.txt', text: '90 %' } }, verdict],
          ],
        },
      },
    })
    expect((await agency.settled(run)).status).toBe('done')
    const { attempts, briefs } = await agency.inspect(run)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'bad_output', 'ok'])
    expect(attempts[1]?.detail).toContain('the verifier changed "src/app.js" in its place; a verifier only reads')
    expect(briefs[0]).toMatchObject({ verificationFailures: 0 })
  })

  it('is removed a day after its run has ended, and the work stays', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run(judged([verdict])))
    const [doer, verifier] = (await agency.inspect(run)).briefs
    expect(agency.workspaces.list()).toContain(`memory:${run.id}/${verifier?.id}`)
    await agency.pass(day + 1_000)
    expect(agency.workspaces.list()).not.toContain(`memory:${run.id}/${verifier?.id}`)
    expect(agency.workspaces.list()).toContain(`memory:${run.id}/${doer?.id}`)
  })
})
