import { spawn } from 'node:child_process'

import { pause } from '../../kernel/clock.ts'
import { killGroup } from '../../processes/kill-group.ts'
import { findSurvivors, killSurvivors } from '../../processes/survivors.ts'

export interface Server {
  /** Whatever belongs to it carries this, wherever it has gone. */
  readonly launchId: string
  log(): string
  /** Why nothing of it is left, or null while something runs. */
  ended(): Promise<string | null>
  stop(): Promise<void>
}

const keptLog = 8_000
/** How long it may take to tidy up once it was asked to end. */
const graceMs = 1_000

export function startServer(command: string, port: number): Server {
  const launchId = ownLaunchId()
  const child = spawn('/bin/sh', ['-c', 'exec /bin/sh -c "$0" 2>&1', command], {
    env: { ...process.env, AGENCY_LAUNCH_ID: launchId, PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let log = ''
  let end: string | null = null
  child.stdout.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-keptLog)))
  child.once('error', (error) => (end = `could not be started: ${error.message}`))
  child.once('exit', (code, signal) => (end = signal === null ? `ended with exit code ${code}` : `killed by ${signal}`))

  /** Where the dead are not buried at once, a group outlives its processes: better to count those that live. */
  const isAlive = async (): Promise<boolean> =>
    process.platform === 'linux'
      ? (await findSurvivors()).some((each) => each.launchId === launchId)
      : killGroup(child.pid, 0)

  return {
    launchId,
    log: () => log,
    // A command may well start a server in the background and end.
    ended: async () => (end === null || (await isAlive()) ? null : `the server ${end}`),
    async stop() {
      killGroup(child.pid, 'SIGTERM')
      for (let waited = 0; waited < graceMs && (await isAlive()); waited += 20) await pause(20)
      killGroup(child.pid)
      await killSurvivors([launchId])
      child.stdout.destroy()
    },
  }
}

/** The attempt's own, by which the daemon finds what outlives us too. In a box nothing can, and its first process has that id. */
function ownLaunchId(): string {
  const given = process.env['AGENCY_BOXED'] === undefined ? process.env['AGENCY_LAUNCH_ID'] : undefined
  return given ?? `probe-${process.pid}`
}
