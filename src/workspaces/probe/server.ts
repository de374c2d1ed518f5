import { spawn } from 'node:child_process'

import { pause } from '../../kernel/clock.ts'
import { killGroup } from '../../processes/kill-group.ts'
import { launchEnvironment, launchIdIn } from '../../processes/launch-id.ts'
import { findSurvivors, killSurvivors } from '../../processes/survivors.ts'
import { withInheritedUmask } from '../../processes/umask.ts'

export interface Server {
  /** Carried by every process of the server, also by those that left its group. */
  readonly launchId: string
  log(): string
  /** Resolves to why none of its processes is left, or null while one runs. */
  ended(): Promise<string | null>
  stop(): Promise<void>
}

const keptLog = 8_000
/** Time for it to clean up after SIGTERM. */
const graceMs = 1_000

export function startServer(command: string, port: number): Server {
  const launchId = ownLaunchId()
  const child = withInheritedUmask(() =>
    spawn('/bin/sh', ['-c', 'exec /bin/sh -c "$0" 2>&1', command], {
      env: environmentOf(launchId, port),
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  let log = ''
  let end: string | null = null
  child.stdout.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-keptLog)))
  child.once('error', (error) => (end = `could not be started: ${error.message}`))
  child.once('exit', (code, signal) => (end = signal === null ? `ended with exit code ${code}` : `killed by ${signal}`))

  /**
   * Counts live processes, because a group exists as long as it has zombies, which some systems do not reap at once.
   */
  const isAlive = async (): Promise<boolean> =>
    process.platform === 'linux'
      ? (await findSurvivors()).some((each) => each.launchId === launchId)
      : killGroup(child.pid, 0)

  return {
    launchId,
    log: () => log,
    // A command may start a server in the background and exit.
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

/**
 * Returns the launch id of the check, by which the daemon also finds processes that outlive the probe. In a box none can,
 * and an id there belongs to its first process.
 */
const ownLaunchId = (): string =>
  (process.env['AGENCY_BOXED'] === undefined ? launchIdIn(process.env) : null) ?? `probe-${process.pid}`

/** The server must not learn that a check has started it. */
const environmentOf = (launchId: string, port: number): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AGENCY_'))),
  ...launchEnvironment(launchId, { isHidden: true }),
  PORT: String(port),
})
