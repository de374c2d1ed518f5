import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

import { type Reply, type Rule, turns } from '../support/model-server/script.ts'
import { hasEnded, install, type Installation, type Shown } from './installation.ts'
import { bash, report, reporting, write } from './replies.ts'

const workspaceOf = ({ daemon }: Installation, { run, briefs }: Shown): string =>
  join(daemon.home, 'workspaces', String(run['id']), briefs[0]?.id ?? '')

/** Creates two files, then deletes one; gives up if the deletion is denied. */
const deletes: Rule = {
  reply: ({ step, toolResults }): Reply => {
    if (step === 0) return { tools: [bash('touch old.txt new.txt')] }
    if (step === 1) return { tools: [bash('rm old.txt')] }
    return toolResults.some(({ isError }) => isError)
      ? { text: 'I may not delete.' }
      : (last[step - 2] ?? { text: 'Done.' })
  },
}
/** A permission for one command does not allow similar commands. */
const last: readonly Reply[] = [{ tools: [bash('rm new.txt || true; ls')] }, report('Deleted.', ['new.txt'])]

it('cautious: asks a question for a denied command and runs it after permission', async () => {
  const installed = await install([deletes])
  const { run, until, daemon, model } = installed
  const id = await run({ goal: 'Tidy up', mode: 'cautious', on_limit: 'ask' })
  const asked = await until(id, ({ questions }) => questions.length > 0)
  expect(asked.attempts).toMatchObject([
    { outcome: 'blocked', denied: [{ rule: 'Bash(rm old.txt)', what: 'Bash: rm old.txt' }] },
  ])
  expect(asked.questions).toMatchObject([{ class: 'permission' }])
  expect(existsSync(join(workspaceOf(installed, asked), 'old.txt'))).toBe(true)

  await daemon.ask('POST', `/questions/${asked.questions[0]?.id}/answer`, { answer: 'allow' })
  const next = await until(
    id,
    ({ attempts }) => attempts.length === 2 && attempts.every(({ status }) => status === 'ended'),
  )
  expect(readdirSync(workspaceOf(installed, next))).not.toContain('old.txt')
  expect(readdirSync(workspaceOf(installed, next))).toContain('new.txt')
  expect(new Set(next.attempts.map(({ session }) => session)).size).toBe(1)
  expect(model.asked.find(({ step, toolResults }) => step === 3 && toolResults[0]?.isError === true)).toBeDefined()
})

it('plan_only: reads and reports, and changes nothing', async () => {
  const evidence = [{ kind: 'command', run: 'test ! -e a.txt && test ! -e b.txt' }]
  const installed = await install([
    turns([
      { tools: [bash('ls -a'), bash('touch a.txt'), write('b.txt', 'b')] },
      { text: 'This is my plan.', tools: [reporting('Planned.')] },
    ]),
  ])
  const { run, until, model } = installed
  const ended = await until(await run({ goal: 'Plan it', mode: 'plan_only', evidence }), hasEnded)
  expect(ended.run.status).toBe('done')
  expect(ended.attempts).toMatchObject([{ outcome: 'ok', denied: [] }])
  expect(model.asked[1]?.toolResults.filter(({ isError }) => isError)).toHaveLength(2)
  expect(readdirSync(workspaceOf(installed, ended))).toEqual(['.agency'])
})

it('yolo: is lowered to cautious without a box, with a line in the output', async () => {
  const installed = await install([deletes], 'box: off\n')
  const { run, until, output } = installed
  const id = await run({ goal: 'Tidy up', on_limit: 'ask' })
  const asked = await until(id, ({ questions }) => questions.length > 0)
  expect(asked.attempts).toMatchObject([{ boxed: false, denied: [{ rule: 'Bash(rm old.txt)' }] }])
  expect(await output(asked.attempts[0]?.id ?? '')).toContain('yolo → cautious: no box is available here\n')
})
