import { expect, it } from 'vitest'

import type { AgentActor } from '../kernel/actor.ts'
import { systemClock } from '../kernel/clock.ts'
import { readText } from './read-texts.ts'

const agent = { kind: 'agent' } as AgentActor

it('reads the text of an operator while hostile texts of agents wait for each other, and refuses more of those', async () => {
  let isOver = false
  const hostile = Array.from({ length: 10 }, () =>
    readText('organisation', '!a '.repeat(30_000), systemClock, agent).then(
      () => 'read',
      (error: { code: string }) => error.code,
    ),
  )
  const ended = Promise.all(hostile).finally(() => (isOver = true))
  await readText('organisation', 'organisation: {name: A, purpose: b}\n', systemClock)
  expect(isOver).toBe(false)
  expect(await hostile[9]).toBe('rate_limited')
  await ended
})
