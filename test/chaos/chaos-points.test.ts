import { expect, it, onTestFinished } from 'vitest'

import type { ChaosPointName } from '../../src/kernel/chaos-point.ts'
import { describeStores } from '../support/store.ts'
import { type AskedRun, findInRuns, findLeftBehind } from './findings.ts'
import { createInstallation, type Installation, type Life } from './installation.ts'
import { allPoints, makeJobDue } from './death-points.ts'
import { runKinds } from './runs.ts'
import { askFor, decideUntil, untilEnded } from './work.ts'

type Kill = `${ChaosPointName}:${number}`

/** The points at which successive daemons die; two at each point, the second at a later passing. */
const plans: Partial<Record<ChaosPointName, readonly Kill[]>> = {
  // Recovery needs attempts that an earlier daemon left behind; it dies twice while it recovers the same ones.
  'recovery.begun': ['attempt.started:3', 'recovery.begun:1', 'recovery.begun:1'],
  'recovery.attempt_marked': ['attempt.started:3', 'recovery.attempt_marked:1'],
  // One run has two gates, two have one, and another has one question.
  'gate.decided': ['gate.decided:1', 'gate.decided:1'],
  'question.answered': ['question.answered:1'],
  // One plan waits for approval.
  'decision.made': ['decision.made:1'],
  // One run has two branches and one result, whose proof begins again with the next daemon.
  'proof.begun': ['proof.begun:1', 'proof.begun:1'],
  'proof.checked': ['proof.checked:1', 'proof.checked:1'],
  'result.landed': ['result.landed:1'],
  // There is one job, which stays due until it has run to its end.
  'job.claimed': ['job.claimed:1', 'job.claimed:1'],
  'job.ran': ['job.ran:1', 'job.ran:1'],
}
const planOf = (point: ChaosPointName): readonly Kill[] => plans[point] ?? [`${point}:1`, `${point}:2`]

describeStores('a daemon that is killed', (_, store) => {
  it.for(allPoints)('at %s ends every run correctly and once after a restart', async (point) => {
    const installation = await createInstallation(store)
    onTestFinished(() => installation.remove())
    if (point.startsWith('job.')) await leaveJobDue(installation)
    const asking = askForAll(installation)
    asking.catch(() => {})
    let isOver = false
    const deciding = decideUntil(installation, () => isOver)
    deciding.catch(() => {})
    for (const kill of planOf(point)) expect(await deathOf(installation.start({ kill })), kill).toBe('SIGKILL')
    const life = installation.start()
    const asked = await asking
    isOver = true
    await deciding
    expect(await untilEnded(installation, 60_000), 'runs that never end').toBe(0)
    const deaths = { daemons: planOf(point).length, agents: 0 }
    expect(await findInRuns(installation, asked, deaths)).toEqual([])
    expect(await life.stop()).toMatchObject({ code: 0 })
    expect(await findLeftBehind(installation)).toEqual([])
  })
})

async function leaveJobDue(installation: Installation): Promise<void> {
  const life = installation.start()
  expect(await life.ready).toBe(true)
  await life.stop()
  await makeJobDue(installation)
}

/** Requests all runs in sequence, so that each is a transaction of its own. */
async function askForAll(installation: Installation): Promise<AskedRun[]> {
  const asked: AskedRun[] = []
  for (const kind of runKinds) asked.push(await askFor(installation, kind, `ask for ${kind.name}`))
  return asked
}

/** Waits for the daemon's death. A point that is never passed fails the test, since nothing would test it. */
async function deathOf(life: Life): Promise<string | null> {
  const tooLong = Promise.withResolvers<null>()
  const timer = setTimeout(() => tooLong.resolve(null), 60_000)
  const ended = await Promise.race([life.ended, tooLong.promise])
  clearTimeout(timer)
  if (ended === null) life.kill()
  return ended === null ? 'never reached' : (ended.signal ?? ended.output)
}
