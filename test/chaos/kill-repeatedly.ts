import { performance } from 'node:perf_hooks'

import { pause } from '../../src/kernel/clock.ts'
import { type AskedRun, findInRuns, findLeftBehind } from './findings.ts'
import type { Installation, Life } from './installation.ts'
import { allPoints, dieAt, type DeathPoint, deathPointsInTurn } from './death-points.ts'
import { processesOf } from './processes.ts'
import { randomFrom } from './random.ts'
import { type RunKind, runKinds } from './runs.ts'
import { askFor, decideUntil, untilEnded } from './work.ts'

export interface SoakOptions {
  /** Number of deaths of the daemon. */
  readonly kills: number
  /**
   * The same seed gives the same requests and the same order of deaths; the state at a death depends on the machine.
   */
  readonly seed: number
  /** Number of deaths at every chaos point below which the result proves too little. */
  readonly deathsAtEachPoint?: number
  /** Expects that agents were killed too, not only daemons. */
  readonly killsAgents?: boolean
  readonly log?: (line: string) => void
}

export interface SoakResult {
  /** Number of deaths at each point. */
  readonly deaths: ReadonlyMap<DeathPoint, number>
  /** Number of daemons that did not pass their point in time and were killed at an arbitrary moment. */
  readonly elsewhere: number
  readonly agents: number
  readonly runs: number
  readonly briefs: number
  readonly outcomes: Readonly<Record<string, number>>
  /** The longest sequence of interrupted attempts of a brief. */
  readonly interruptions: number
  readonly seconds: number
  /** The part of them in which rounds came to their end: all runs ended before the next death. */
  readonly secondsOfEnds: number
  readonly findings: readonly string[]
}

/**
 * Maximum number of open runs: enough for every slot of the daemon, few enough that each of them proceeds in a short
 * life.
 */
const openRuns = 6
/** After this number of deaths all runs may end, because a brief that is interrupted twenty times in a row is stopped. */
const killsPerRound = 12

/** Kills the daemon at one point after the other while clients request runs, and checks the results. */
export async function killRepeatedly(
  installation: Installation,
  { kills, seed, deathsAtEachPoint = 0, killsAgents = false, log = () => {} }: SoakOptions,
): Promise<SoakResult> {
  const began = performance.now()
  const tally: Tally = { asked: [], findings: [], deaths: new Map(), elsewhere: 0, agents: 0, msOfEnds: 0, next: null }
  const random = randomFrom(seed)
  const points = deathPointsInTurn(random)
  const startMs = await timeStart(installation)
  let killed = 0
  let finished: Life | null = null
  const died = (point: DeathPoint | null): void => {
    if (point === null) tally.elsewhere++
    else tally.deaths.set(point, (tally.deaths.get(point) ?? 0) + 1)
    if (++killed % 50 === 0) log(`${killed} killed, ${tally.asked.length} runs, ${secondsSince(began)} s`)
  }
  for (let round = 1; killed < kills; round++) {
    if (finished !== null) {
      finished.kill()
      await finished.ended
      died('with nothing to do')
    }
    const clients = openClients(installation, `round ${round}`, seed * 31 + round, tally)
    for (const until = Math.min(kills, killed + killsPerRound); killed < until;) {
      const point = points.next().value
      tally.next = point
      const killAgent = (): void => void (random() < 0.4 && (tally.agents += killOneAgent(installation, random)))
      const { reached, ended } = await dieAt(installation, point, { random, startMs, killAgent })
      if (ended.signal !== 'SIGKILL')
        tally.findings.push(`before ${point} the daemon ended with ${ended.code}: ${ended.output}`)
      // Kills an agent that has outlived its daemon: the next daemon will search for it.
      killAgent()
      if (!reached) log(`${point} was not passed in time`)
      died(reached ? point : null)
    }
    const endBegan = performance.now()
    finished = installation.start()
    await clients.close()
    const unended = await untilEnded(installation, 180_000)
    tally.msOfEnds += performance.now() - endBegan
    if (unended > 0) tally.findings.push(`${unended} runs do not end`)
  }
  tally.findings.push(...(await findInRuns(installation, tally.asked, { daemons: killed, agents: tally.agents })))
  for (const point of allPoints)
    if ((tally.deaths.get(point) ?? 0) < deathsAtEachPoint)
      tally.findings.push(`killed ${tally.deaths.get(point) ?? 0} times at ${point}, not ${deathsAtEachPoint}`)
  if (killsAgents && tally.agents === 0) tally.findings.push('no agent was killed')
  await finished?.stop()
  tally.findings.push(...(await findLeftBehind(installation)))
  return {
    deaths: tally.deaths,
    elsewhere: tally.elsewhere,
    agents: tally.agents,
    runs: tally.asked.length,
    briefs: Number((await installation.query('SELECT COUNT(*) AS n FROM briefs'))[0]?.['n']),
    outcomes: await countOutcomes(installation),
    interruptions: await longestRow(installation),
    seconds: secondsSince(began),
    secondsOfEnds: Math.round(tally.msOfEnds / 1_000),
    findings: tally.findings,
  }
}

interface Tally {
  readonly asked: AskedRun[]
  readonly findings: string[]
  readonly deaths: Map<DeathPoint, number>
  elsewhere: number
  agents: number
  msOfEnds: number
  /** The point of the next death. */
  next: DeathPoint | null
}

const secondsSince = (began: number): number => Math.round((performance.now() - began) / 1_000)

/** Measures a start: moments of death are drawn in units of it, so that most daemons do some work on any machine. */
async function timeStart(installation: Installation): Promise<number> {
  const began = performance.now()
  const life = installation.start()
  await life.ready
  const tookMs = performance.now() - began
  await life.stop()
  return tookMs
}

/** The scripted agent's entry, from its source or from a bundle. */
const isAgent = /scripted.(main|agent)\.m?[jt]s/

function killOneAgent({ home }: Installation, random: () => number): number {
  const agents = processesOf(home).filter(({ launchId, command }) => launchId !== null && isAgent.test(command))
  const chosen = agents[Math.floor(random() * agents.length)]
  if (chosen === undefined) return 0
  try {
    process.kill(chosen.pid, 'SIGKILL')
    return 1
  } catch {
    // The agent has just ended.
    return 0
  }
}

/** Starts three clients that request runs until they are closed, and an operator that decides gates and questions. */
function openClients(
  installation: Installation,
  name: string,
  seed: number,
  tally: Tally,
): { close(): Promise<unknown> } {
  let isOver = false
  const clients = [
    decideUntil(installation, () => isOver),
    ...[1, 2, 3].map((number) =>
      ask(installation, `${name}, client ${number}`, randomFrom(seed * 31 + number), tally, () => isOver),
    ),
  ].map((client) => client.catch((error: unknown) => void tally.findings.push(`${name}: ${String(error)}`)))
  return {
    close: () => {
      isOver = true
      return Promise.all(clients)
    },
  }
}

/** Requests one run after the other, and sometimes repeats the request of an earlier one. */
async function ask(
  installation: Installation,
  name: string,
  random: () => number,
  tally: Tally,
  isOver: () => boolean,
): Promise<void> {
  for (let number = 1; !isOver(); number++) {
    const kind = patient(pickKind(random, tally.next))
    const { asked } = tally
    asked.push(await askFor(installation, kind, `${name}, run ${number}`))
    const known = asked[Math.floor(random() * asked.length)] as AskedRun
    const again = await askFor(installation, known.kind, known.key)
    if (again.id !== known.id) throw new Error(`${known.key}: requested again, ${known.id} became ${again.id}`)
    await pause(random() * 400)
    await untilRoom(installation, isOver)
  }
}

/** Draws a kind of run; half of the requests are for the kind that passes the point which the daemon is to die at. */
function pickKind(random: () => number, next: DeathPoint | null): RunKind {
  const wanted = runKinds.filter(({ passes = [] }) => passes.some((prefix) => next?.startsWith(prefix)))
  const kinds = wanted.length > 0 && random() < 0.5 ? wanted : runKinds
  return kinds[Math.floor(random() * kinds.length)] as RunKind
}

async function untilRoom({ client }: Installation, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { running } = await client.insist<{ running: { runs: number } }>('GET', '/status')
    if (running.runs < openRuns) return
    await pause(100)
  }
}

/** Raises the retries: agents are killed too, some of them repeatedly, and this must not fail a run. */
const patient = (kind: RunKind): RunKind => ({ ...kind, input: { ...kind.input, crash_retries: 20 } })

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
