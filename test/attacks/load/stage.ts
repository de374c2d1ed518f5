import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import { type DaemonStage, openDaemonStage, type Puppet } from '../daemon-stage.ts'

export interface LoadStage {
  readonly daemon: DaemonStage
  /** Starts an agent with unused limits; the one before it is cancelled. */
  fresh(): Promise<Puppet>
  /** The agent that all other attacks share. */
  readonly puppet: Puppet
  /** The longest time that a request of the operator took while nothing else happened, at least 100 ms. */
  readonly idleMs: number
}

export async function openLoadStage(): Promise<LoadStage> {
  const daemon = await openDaemonStage()
  const puppet = await daemon.puppet()
  const idleMs = Math.max(100, await longestWait(daemon, pause(1_500)))
  let last: Puppet | null = null
  const fresh = async (): Promise<Puppet> => {
    // The number of agents at the same time is limited.
    if (last !== null) await daemon.cli('cancel', last.runId)
    last = await daemon.puppet()
    return last
  }
  return { daemon, puppet, idleMs, fresh }
}

/** Asks as the operator again and again until the work has ended; returns the longest time that an answer took. */
export async function longestWait(daemon: DaemonStage, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = work.finally(() => (isOver = true))
  let longest = 0
  while (!isOver) {
    const began = performance.now()
    await daemon.ask('GET', '/runs?limit=1')
    longest = Math.max(longest, performance.now() - began)
    await pause(5)
  }
  await over
  return longest
}

/** On a busy machine a single answer may take this long for reasons of its own; the attacks aim at many seconds. */
const noiseMs = 2_000

/** Reports whether others waited far longer than when nothing happens. */
export const isHeldUp = async ({ daemon, idleMs }: LoadStage, work: Promise<unknown>): Promise<boolean> =>
  (await longestWait(daemon, work)) > Math.max(noiseMs, 5 * idleMs)

export interface BoxRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The body as it is, instead of JSON of `body`. */
  readonly raw?: string
  readonly headers?: Record<string, string>
}

/** Sends requests as the agent from inside its box, some at a time; returns the statuses, 0 for a lost connection. */
export async function burst(puppet: Puppet, requests: readonly BoxRequest[], atOnce = 4): Promise<number[]> {
  writeFileSync(join(puppet.workspace, 'burst.json'), JSON.stringify({ requests, atOnce }))
  const { code, out } = await puppet.shell(`exec '${process.execPath}' -e '${burstCode}'`)
  if (code !== 0) throw new Error(out)
  return JSON.parse(out) as number[]
}

const burstCode = `const { requests, atOnce } = JSON.parse(require("fs").readFileSync("burst.json", "utf8"));
const http = require("http"); const statuses = []; let next = 0;
const send = ({ method, path, body, raw, headers }) => new Promise((resolve) => {
  const all = { authorization: "Bearer " + process.env.AGENCY_TOKEN, accept: "application/json", "content-type": "application/json", ...headers };
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const request = http.request({ socketPath: process.env.AGENCY_SOCKET, method, path: "/api" + path, headers: all }, (answer) => {
    answer.resume(); answer.on("end", () => resolve(answer.statusCode)); answer.on("error", () => resolve(answer.statusCode)) });
  request.on("error", () => resolve(0)); request.end(text) });
const work = async () => { while (next < requests.length) { const at = next++; statuses[at] = await send(requests[at]) } };
Promise.all(Array.from({ length: atOnce }, work)).then(() => console.log(JSON.stringify(statuses)))`

/** Opens connections from inside the box, each with this text, and keeps them for some time; returns their answers. */
export async function hold(puppet: Puppet, text: string, count: number, seconds: number): Promise<string[]> {
  writeFileSync(join(puppet.workspace, 'hold.txt'), text)
  const { code, out } = await puppet.shell(`exec '${process.execPath}' -e '${holdCode}' ${count} ${seconds}`)
  if (code !== 0) throw new Error(out)
  return JSON.parse(out) as string[]
}

const holdCode = `const [count, seconds] = process.argv.slice(1).map(Number); const net = require("net");
const text = require("fs").readFileSync("hold.txt", "utf8").replaceAll("TOKEN", process.env.AGENCY_TOKEN);
const answers = [];
for (let at = 0; at < count; at++) { answers[at] = ""; const socket = net.connect(process.env.AGENCY_SOCKET);
  socket.on("error", () => {}); socket.on("data", (part) => (answers[at] = (answers[at] + part).slice(0, 100))); socket.write(text) }
setTimeout(() => { console.log(JSON.stringify(answers)); process.exit() }, seconds * 1000)`

/** Returns the resident memory of the daemon in bytes. */
export const memoryOf = ({ pid }: DaemonStage): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Returns the seconds of processor time that the daemon has used. */
export function processorTimeOf({ pid }: DaemonStage): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Returns the highest memory of the daemon while the work is done. */
export async function peakMemory(daemon: DaemonStage, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = work.finally(() => (isOver = true))
  let peak = memoryOf(daemon)
  while (!isOver) {
    peak = Math.max(peak, memoryOf(daemon))
    await pause(50)
  }
  await over
  return peak
}

export const count = (statuses: readonly number[], ...wanted: readonly number[]): number =>
  statuses.filter((status) => wanted.includes(status)).length

/** Asks with many connections and reads none of the answers for some seconds. */
export async function askWithoutReading(
  puppet: Puppet,
  path: string,
  connections: number,
  seconds: number,
): Promise<void> {
  const { code, out } = await puppet.shell(
    `exec '${process.execPath}' -e '${unreadCode}' ${path} ${connections} ${seconds}`,
  )
  if (code !== 0) throw new Error(out)
}

const unreadCode = `const [path, count, seconds] = process.argv.slice(1); const net = require("net");
const request = "GET /api" + path + " HTTP/1.1\\r\\nhost: x\\r\\naccept: application/json\\r\\nauthorization: Bearer " + process.env.AGENCY_TOKEN + "\\r\\n\\r\\n";
for (let at = 0; at < count; at++) { const socket = net.connect(process.env.AGENCY_SOCKET); socket.on("error", () => {}); socket.pause(); socket.write(request) }
setTimeout(() => process.exit(), seconds * 1000)`
