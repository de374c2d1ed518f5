import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import type { Attack } from '../contract.ts'
import { createLink, redeem } from '../local/browser-session.ts'
import { askWithoutReading, burst, count, hold, type LoadStage, memoryOf, peakMemory } from './stage.ts'

const enter =
  'POST /enter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"code":"'

const canSignIn = async ({ daemon }: LoadStage): Promise<boolean> =>
  (await redeem(daemon, (await createLink(daemon)).code)).status === 200

/** Makes a persona whose text is this long, and starts its agent. */
async function agentWithExperience(stage: LoadStage, length: number) {
  const { body } = await stage.daemon.ask('POST', '/personas', { name: `Writer ${Date.now()}`, role: 'developer' })
  const { slug } = body as { slug: string }
  writeFileSync(join(stage.daemon.home, `data/personas/${slug}/experience.md`), 'x'.repeat(length))
  return { path: `/personas/${slug}/experience`, puppet: await stage.daemon.puppet({ persona: slug }) }
}

export const answerAttacks: readonly Attack<LoadStage>[] = [
  {
    name: 'half-sent codes of a box keep the operator from signing in',
    control: canSignIn,
    attack: async (stage) => {
      const held = hold(stage.puppet, enter, 64, 4)
      await pause(2_000)
      const isOut = !(await canSignIn(stage))
      await held
      return isOut
    },
  },
  {
    name: 'an agent asks for large answers and reads none of them',
    isLong: true,
    control: async (stage) => {
      const { puppet, path } = await agentWithExperience(stage, 100)
      const isRead = (await puppet.ask('GET', path)).status === 200
      await stage.daemon.cli('cancel', puppet.runId)
      return isRead
    },
    attack: async (stage) => {
      const { puppet, path } = await agentWithExperience(stage, 8_000_000)
      const before = memoryOf(stage.daemon)
      const peak = await peakMemory(stage.daemon, askWithoutReading(puppet, path, 60, 6))
      await stage.daemon.cli('cancel', puppet.runId)
      return peak - before > 350_000_000
    },
  },
  {
    name: 'an agent appends to its texts without end',
    isLong: true,
    control: async (stage) => {
      const { puppet, path } = await agentWithExperience(stage, 100)
      const isWritten = (await puppet.ask('POST', path, { text: 'a lesson' })).status === 200
      await stage.daemon.cli('cancel', puppet.runId)
      return isWritten
    },
    attack: async (stage) => {
      const { puppet, path } = await agentWithExperience(stage, 100)
      const append = { method: 'POST', path, body: { text: 'y' } }
      const statuses = await burst(
        puppet,
        Array.from({ length: 60 }, () => append),
      )
      const tooLong = await puppet.ask('POST', path, { text: 'x'.repeat(200) })
      await stage.daemon.cli('cancel', puppet.runId)
      return count(statuses, 200) > 30 || tooLong.status === 200
    },
  },
]
