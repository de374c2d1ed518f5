import { performance } from 'node:perf_hooks'

import { pause } from '../../src/kernel/clock.ts'
import { type AskedRun, findInRuns, findLeftBehind } from './findings.ts'
import type { Installation, Life } from './installation.ts'
import { processesOf } from './processes.ts'
import { type RunKind, runKinds } from './runs.ts'
import { askFor, untilEnded } from './work.ts'

export interface StormOptions {
  /** How often the daemon dies. */
  readonly kills: number
  /** The same seed asks for the same runs and draws the same moments; the machine decides what they hit. */
  readonly seed: number
  readonly say?: (line: string) => void
}

export interface StormResult {
  readonly daemons: number
  /** Of these, so many before they were ready. */
  readonly starting: number
  readonly agents: number
  readonly runs: number
  readonly briefs: number
  readonly outcomes: Readonly<Record<string, number>>
  /** The longest row of interrupted attempts that a brief went through. */
  readonly interruptions: number
  readonly seconds: number
  readonly findings: readonly string[]
}

/** How many runs may be open at once: enough for every slot of the daemon, few enough to end soon afterwards. */
const openRuns = 12

/** Kills the daemon at random moments while clients ask for runs, lets it finish, and looks whether anybody noticed. */
export async function storm(
  installation: Installation,
  { kills, seed, say = () => {} }: StormOptions,
): Promise<StormResult> {
  const began = performance.now()
  const random = randomFrom(seed)
  const asked: AskedRun[] = []
  const findings: string[] = []
  let isOver = false
  const clients = [1, 2, 3].map((number) =>
    ask(installation, randomFrom(seed * 31 + number), number, asked, () => isOver).catch(
      (error: unknown) => void findings.push(`client ${number}: ${String(error)}`),
    ),
  )
  const startMs = await timeStart(installation)
  let starting = 0
  let agents = 0
  for (let deaths = 0; deaths < kills; deaths++) {
    const life = installation.start()
    if (await waitToKill(life, startMs, random)) starting++
    if (random() < 0.25) agents += killAgent(installation, random)
    life.kill()
    await life.ended
    if ((deaths + 1) % 25 === 0) say(`${deaths + 1} killed, ${asked.length} runs`)
  }
  isOver = true
  const last = installation.start()
  await Promise.all(clients)
  const unended = await untilEnded(installation, 180_000)
  if (unended > 0) findings.push(`${unended} runs never end`)
  findings.push(...(await findInRuns(installation, asked, { daemons: kills, agents })))
  await last.stop()
  findings.push(...(await findLeftBehind(installation)))
  return {
    daemons: kills,
    starting,
    agents,
    runs: asked.length,
    briefs: await count(installation, 'SELECT COUNT(*) AS n FROM briefs'),
    outcomes: await countOutcomes(installation),
    interruptions: await longestRow(installation),
    seconds: (performance.now() - began) / 1_000,
    findings,
  }
}

/** How fast this machine is now: moments are drawn in terms of a start, so that some work gets done in most lives. */
async function timeStart(installation: Installation): Promise<number> {
  const began = performance.now()
  const life = installation.start()
  await life.ready
  const tookMs = performance.now() - began
  await life.stop()
  return tookMs
}

/** One death in four comes before the daemon is ready; true for those. */
async function waitToKill(life: Life, startMs: number, random: () => number): Promise<boolean> {
  if (random() < 0.25) {
    const isReady = await Promise.race([life.ready, pause(random() * startMs).then(() => false)])
    return !isReady
  }
  await life.ready
  await pause(random() * 2.5 * startMs)
  return false
}

function killAgent({ home }: Installation, random: () => number): number {
  const agents = processesOf(home).filter(({ launchId, command }) => launchId !== null && /scripted.main/.test(command))
  const chosen = agents[Math.floor(random() * agents.length)]
  if (chosen === undefined) return 0
  try {
    process.kill(chosen.pid, 'SIGKILL')
    return 1
  } catch {
    // It ended by itself a moment ago.
    return 0
  }
}

/** A client that asks for one run after the other, and now and then once more for one that it has. */
async function ask(
  installation: Installation,
  random: () => number,
  number: number,
  asked: AskedRun[],
  isOver: () => boolean,
): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    const kind = patient(runKinds[Math.floor(random() * runKinds.length)] as RunKind)
    asked.push(await askFor(installation, kind, `client ${number}, run ${round}`))
    const known = asked[Math.floor(random() * asked.length)] as AskedRun
    const again = await askFor(installation, known.kind, known.key)
    if (again.id !== known.id) throw new Error(`${known.key}: asked for again, ${known.id} became ${again.id}`)
    await pause(random() * 400)
    await untilRoom(installation, isOver)
  }
}

async function untilRoom({ client }: Installation, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { running } = await client.insist<{ running: { runs: number } }>('GET', '/status')
    if (running.runs < openRuns) return
    await pause(100)
  }
}

/** Agents are killed too, some of them again and again; none of that may fail a run here. */
const patient = (kind: RunKind): RunKind => ({ ...kind, input: { ...kind.input, crash_retries: 20 } })

const count = async (installation: Installation, sql: string): Promise<number> =>
  Number((await installation.query(sql))[0]?.['n'])

async function countOutcomes(installation: Installation): Promise<Record<string, number>> {
  const rows = await installation.query('SELECT outcome, COUNT(*) AS n FROM attempts GROUP BY outcome ORDER BY outcome')
  return Object.fromEntries(rows.map((row) => [String(row['outcome']), Number(row['n'])]))
}

async function longestRow(installation: Installation): Promise<number> {
  const rows = await installation.query('SELECT brief_id, outcome FROM attempts ORDER BY brief_id, fence')
  let longest = 0
  let current = 0
  for (const [index, row] of rows.entries()) {
    if (row['brief_id'] !== rows[index - 1]?.['brief_id'] || row['outcome'] !== 'interrupted') current = 0
    if (row['outcome'] === 'interrupted') current++
    longest = Math.max(longest, current)
  }
  return longest
}

/** mulberry32, from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
