import { type HomePaths, homePaths } from '../daemon/home.ts'
import { pause, systemClock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { type Client, createClient } from '../client/client.ts'
import { type Environment, socketOf, tokenOf } from './endpoint.ts'
import { createTerminal, type Terminal, visible } from './terminal.ts'

/** What every command gets: the terminal, the home, and a way to the daemon. */
export interface CliContext extends Terminal {
  readonly env: Environment
  readonly paths: HomePaths
  nowMs(): number
  /** A value as JSON: indented for a person, in one line for a program. */
  json(value: unknown): void
  /** Text with its own newlines: as it is for a program, without what moves a cursor for a person. */
  text(text: string): void
  /** Starts the daemon when none runs. */
  api(): Client
  /** Fails when none runs. */
  runningApi(): Client
  /** As the agent that this process is started by; a daemon that is being restarted is waited for. */
  agentApi(): Client
}

export function createContext(env: Environment): CliContext {
  const terminal = createTerminal(env)
  const paths = homePaths(env)
  const client = (whenDown: () => Promise<void>): Client =>
    createClient({
      socket: () => socketOf(env, paths),
      token: () => tokenOf(env, paths),
      whenDown,
      say: terminal.err,
    })
  const context: CliContext = {
    ...terminal,
    env,
    paths,
    nowMs: () => systemClock.nowMs(),
    json: (value) => terminal.out(JSON.stringify(value, null, terminal.isTty ? 2 : 0)),
    text: (text) => void process.stdout.write(terminal.isTty ? visible(text) : text),
    // An agent's token belongs to a daemon that runs; another one, started here, would not know it.
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

/** A daemon that died is started again within moments; after ten seconds nobody did. */
async function waitForDaemon(env: Environment, paths: HomePaths): Promise<void> {
  const { isListening } = await import('./launch.ts')
  for (let waited = 0; waited < 10_000; waited += 200) {
    if (await isListening(socketOf(env, paths))) return
    await pause(200)
  }
  throw refusal('stopping', 'the daemon that this agent belongs to does not answer', {
    hint: 'It may be restarting; repeat the command in a moment.',
  })
}
