import { spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import { freePort } from '../../support/port.ts'
import { inheritedNumber, type SightAttack, type SightStage } from './stage.ts'

const done = `echo '{"status":"done","summary":"looked"}'`

/** Starts a run as the operator does by the API, and resolves to the text that its program found; null: it did not start. */
async function foundBy({ daemon }: SightStage, request: object): Promise<string | null> {
  const { status, body } = await daemon.ask('POST', '/runs', {
    goal: 'Look',
    runtime: 'program',
    verify: 'none',
    acceptance: 'auto',
    on_limit: 'fail',
    crash_retries: 0,
    retry_budget: 0,
    ...request,
  })
  if (status >= 300) return null
  const { id } = body as { id: string }
  for (;;) {
    const run = (await daemon.ask('GET', `/runs/${id}`)).body as { ended_at: string | null; held_by: string | null }
    if (run.ended_at !== null || run.held_by !== null) break
    await pause(50)
  }
  const file = globSync(`workspaces/${id}/**/found`, { cwd: daemon.home })[0]
  return file === undefined ? null : readFileSync(join(daemon.home, file), 'utf8')
}

const look = (path: string): string[] => ['sh', '-c', `cat "$1" >found; ${done}`, '_', path]

const tokenFile = ({ daemon }: SightStage): string => join(daemon.home, 'operator.token')

function harmlessFile({ base }: SightStage): string {
  const path = join(base, 'harmless.txt')
  writeFileSync(path, 'harmless')
  return path
}

/** A plan that checks, with another line. */
const planOf = (line: string, option = ''): string =>
  `goal: Look
runtime: program
briefs: [{ key: a, objective: Look, runtime_options: { command: [sh, -c, "true"]${option} } }]
${line}`

const isValidPlan = async ({ daemon }: SightStage, plan: string): Promise<boolean> =>
  ((await daemon.ask('POST', '/plans/check', { plan })).body as { valid?: boolean }).valid === true

export const daemonAttacks: readonly SightAttack[] = [
  {
    name: 'read operator.token because an argument of the program names it',
    control: async (stage) => {
      const path = harmlessFile(stage)
      return (await foundBy(stage, { runtime_options: { command: look(path) }, readable: [path] })) === 'harmless'
    },
    attack: async (stage) =>
      (await foundBy(stage, { runtime_options: { command: look(tokenFile(stage)) } }))?.includes(
        stage.daemon.operatorToken,
      ) === true,
  },
  {
    name: 'read operator.token because the operator was told to show it',
    control: async (stage) => {
      const path = harmlessFile(stage)
      return (await foundBy(stage, { runtime_options: { command: look(path) }, readable: [path] })) === 'harmless'
    },
    attack: async (stage) => {
      const path = tokenFile(stage)
      const found = await foundBy(stage, { runtime_options: { command: look(path) }, readable: [path] })
      return found?.includes(stage.daemon.operatorToken) === true
    },
  },
  {
    name: 'show files by a plan',
    control: (stage) => isValidPlan(stage, planOf('')),
    attack: (stage) => isValidPlan(stage, planOf(`readable: [${harmlessFile(stage)}]\n`)),
  },
  {
    name: 'show files by the options of a brief in a plan',
    control: (stage) => isValidPlan(stage, planOf('')),
    attack: (stage) => isValidPlan(stage, planOf('', `, readable: [${harmlessFile(stage)}]`)),
  },
  {
    name: 'read a file through a descriptor that the daemon has inherited',
    control: async () => readsThrough([process.execPath, '-e', readInChild]),
    attack: async ({ puppet, daemon }) =>
      (await puppet.shell(`cat /proc/self/fd/*${daemon.home}/operator.token`)).out.includes(daemon.operatorToken),
  },
  {
    name: 'keep a directory open in the daemon that its caller had open',
    control: async () => readsThrough(['ls', `/proc/self/fd/${inheritedNumber}/etc`]),
    attack: async ({ daemon }) => linkOf(daemon.pid) === '/',
  },
  {
    name: 'keep a directory open in a daemon in the background',
    isLong: true,
    control: async () => readsThrough(['ls', `/proc/self/fd/${inheritedNumber}/etc`]),
    attack: async ({ base }) => {
      const home = join(base, 'background')
      mkdirSync(home)
      writeFileSync(join(home, 'config.yaml'), `port: ${await freePort()}\n`)
      const main = resolve(import.meta.dirname, '../../../src/cli/main.ts')
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home }
      const agency = (...words: string[]) => inheriting([process.execPath, main, ...words], env)
      await agency('up')
      const { pid } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as { pid: number }
      const isOpen = linkOf(pid) === '/'
      await agency('down')
      return isOpen
    },
  },
]

const readInChild = `const { spawnSync } = require("child_process")
process.exit(spawnSync("ls", ["/proc/self/fd/${inheritedNumber}/etc"]).status)`

const readsThrough = async (command: [string, ...string[]]): Promise<boolean> =>
  (await inheriting(command, process.env)) === 0

/** Resolves to the exit code of a command that has the root directory open, as `exec 200</` of a shell does. */
function inheriting([program, ...args]: [string, ...string[]], env: NodeJS.ProcessEnv): Promise<number | null> {
  const words = ['-c', `exec ${inheritedNumber}</; exec "$0" "$@"`, program, ...args]
  return new Promise((resolve) => void spawn('bash', words, { env, stdio: 'ignore' }).once('exit', resolve))
}

function linkOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${inheritedNumber}`)
  } catch {
    return null
  }
}
