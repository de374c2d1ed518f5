import { type HomePaths, homePaths } from '../daemon/home.ts'
import { pause, systemClock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { type Client, createClient } from '../client/client.ts'
import { createVersions, type Versions, type VersionsOptions } from '../client/versions.ts'
import { versionWithBuild } from '../entries.ts'
import { type Environment, readDaemonFile, socketOf, tokenOf } from './daemon-address.ts'
import { createTerminal, type Terminal, visible } from './terminal.ts'

/** The context of every command: the terminal, the home, and clients of the daemon. */
export interface CliContext extends Terminal {
  readonly env: Environment
  readonly paths: HomePaths
  /** The versions of this command and of the daemon that answers it. */
  readonly versions: Versions
  nowMs(): number
  /** Prints a value as JSON: indented on a terminal, in one line otherwise. */
  json(value: unknown): void
  /** Prints a value as JSON in one line, also on a terminal: one of many. */
  jsonLine(value: unknown): void
  /** Prints text with its own newlines: unchanged into a pipe, without cursor movements on a terminal. */
  text(text: string): void
  /** A client that starts the daemon when none is running. */
  api(): Client
  /** A client that fails when no daemon is running. */
  runningApi(): Client
  /** A client with the credentials of the agent that started this process; it waits for a daemon that restarts. */
  agentApi(): Client
}

/** Without `complete`, every answer of a daemon of another version is refused. */
export function createContext(env: Environment, complete: VersionsOptions['complete'] = async () => null): CliContext {
  const terminal = createTerminal(env)
  const paths = homePaths(env)
  const versions = createVersions({
    own: versionWithBuild,
    recorded: () => readDaemonFile(paths)?.version ?? null,
    complete,
  })
  const client = (whenDown: () => Promise<void>): Client =>
    createClient({
      socket: () => socketOf(env, paths),
      token: () => tokenOf(env, paths),
      whenDown,
      notify: terminal.err,
      versions,
    })
  const context: CliContext = {
    ...terminal,
    env,
    paths,
    versions,
    nowMs: () => systemClock.nowMs(),
    // Not broken at spaces: a value that is copied from the screen stays JSON.
    json: (value) => void process.stdout.write(`${JSON.stringify(value, null, terminal.isTty ? 2 : 0)}\n`),
    jsonLine: (value) => void process.stdout.write(`${JSON.stringify(value)}\n`),
    text: (text) => void process.stdout.write(terminal.isTty ? visible(text) : text),
    // An agent's token belongs to a running daemon; another daemon, started here, would not know it.
    api: () => (env['AGENCY_TOKEN'] ? client(() => waitForDaemon(env, paths)) : client(() => startDaemon(context))),
    runningApi: () => client(() => Promise.reject(notRunning(paths.home))),
    agentApi: () => client(() => waitForDaemon(env, paths)),
  }
  return context
}

export const notRunning = (home: string): Error =>
  refusal('stopping', `no daemon is running for ${home}`, { hint: 'Start it with "agency up".' })

async function startDaemon({ env, paths, err }: CliContext): Promise<void> {
  const { ensureDaemon } = await import('./launch.ts')
  const { pid, started } = await ensureDaemon({ env, paths }, [])
  if (started) err(`agency: started the daemon (pid ${pid})`)
}

/** Waits for a daemon that restarts: it is back within moments; after ten seconds it is taken for gone. */
async function waitForDaemon(env: Environment, paths: HomePaths): Promise<void> {
  const { isListening } = await import('./launch.ts')
  for (let waited = 0; waited < 10_000; waited += 200) {
    if (await isListening(socketOf(env, paths))) return
    await pause(200)
  }
  throw refusal('stopping', 'the daemon of this agent does not answer', {
    hint: 'It may be restarting; repeat the command in a moment.',
  })
}
