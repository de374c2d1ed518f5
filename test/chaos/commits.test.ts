import { expect, it, onTestFinished } from 'vitest'

import { describeStores } from '../support/store.ts'
import { createClient } from './client.ts'
import { findLeftBehind } from './findings.ts'
import { createInstallation, type Installation } from './installation.ts'

const clients = 16

describeStores('a daemon that is killed during commits', (_, store) => {
  it('keeps everything that it acknowledged, and nothing twice', async () => {
    const installation = await createInstallation(store)
    onTestFinished(() => installation.remove())
    const acknowledged = new Map<string, string>()
    const unanswered: string[] = []
    for (let life = 1; life <= 5; life++) {
      const load = await loadUntilDeath(installation, life, 100 + life * 37)
      for (const [title, id] of load.acknowledged) acknowledged.set(title, id)
      unanswered.push(...load.unanswered)
    }
    // Each client had one unanswered request at every death.
    expect(unanswered.length).toBeGreaterThan(clients)

    const last = installation.start()
    const stored = (): Promise<Record<string, unknown>[]> => installation.query('SELECT id, title FROM missions')
    await last.ready
    const before = new Map((await stored()).map((row) => [row['title'], row['id']]))
    const lost = [...acknowledged].filter(([title, id]) => before.get(title) !== id)
    expect(lost, 'acknowledged and lost').toEqual([])

    // Whether or not such a request took effect, a repetition with its key makes it happen once.
    for (const title of unanswered) acknowledged.set(title, await createMission(installation, title))
    for (const title of [...acknowledged.keys()].slice(0, 50))
      expect(await createMission(installation, title)).toBe(acknowledged.get(title))
    const after = await stored()
    expect(new Set(after.map((row) => row['title'])).size, 'created twice').toBe(after.length)
    expect(new Map(after.map((row) => [row['title'], row['id']]))).toEqual(acknowledged)
    await last.stop()
    expect(await findLeftBehind(installation)).toEqual([])
  })
})

interface Load {
  readonly acknowledged: Map<string, string>
  readonly unanswered: string[]
}

/** Lets sixteen clients write as fast as they are answered, and kills the daemon after this number of answers. */
async function loadUntilDeath(installation: Installation, life: number, answers: number): Promise<Load> {
  const daemon = installation.start()
  expect(await daemon.ready).toBe(true)
  const load: Load = { acknowledged: new Map(), unanswered: [] }
  const write = async (number: number): Promise<void> => {
    const client = createClient(installation.home, { keepAlive: true })
    for (let count = 1; ; count++) {
      const title = `life ${life}, client ${number}, mission ${count}`
      try {
        const { id } = await client.send<{ id: string }>('POST', '/missions', { body: { title }, key: title })
        load.acknowledged.set(title, id)
        if (load.acknowledged.size === answers) daemon.kill()
      } catch {
        load.unanswered.push(title)
        return
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => write(number)))
  expect(await daemon.ended).toMatchObject({ signal: 'SIGKILL' })
  return load
}

const createMission = async ({ client }: Installation, title: string): Promise<string> =>
  (await client.send<{ id: string }>('POST', '/missions', { body: { title }, key: title })).id
