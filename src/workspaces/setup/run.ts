import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { isUnknown, runCommand } from '../command.ts'
import { createWorkspace, type Entrance, hasBox, type Place } from '../enter.ts'
import { defaultPolicy } from '../policy.ts'
import type { CommandResult } from '../port.ts'
import { offlineEnvironment, onlineEnvironment } from './environment.ts'
import type { Installation } from './plan.ts'

export interface SetupRun {
  readonly entrance: Entrance
  readonly place: Place
  readonly environment: Readonly<Record<string, string>>
  /** The end of the time for the whole setup. */
  readonly untilMs: number
  readonly signal?: AbortSignal | undefined
  /** Prepares the place for the second try. */
  readonly beforeRepeat?: () => Promise<void>
}

export interface SetupStep {
  readonly result: CommandResult
  readonly from: 'caches' | 'network'
}

/**
 * Runs a command of a setup without a network, and if it fails, once with that of the policy. Without a box the network
 * cannot be switched off: only the environment asks the tools to do without it.
 */
export async function runSetup(commands: Installation, run: SetupRun): Promise<SetupStep> {
  const { place } = run
  const policy = place.policy ?? defaultPolicy('')
  const isBoxed = place.wantsBox && hasBox(run.entrance)
  const isolated = isBoxed ? { ...policy, network: { ...policy.network, allowed: false } } : policy
  const offline = await runOnce(
    commands.offline ?? commands.online,
    run,
    { ...place, policy: isolated },
    offlineEnvironment,
  )
  if (hasSucceeded(offline) || !mayRepeat(offline) || !policy.network.allowed || isLate(run))
    return { result: offline, from: 'caches' }
  await run.beforeRepeat?.()
  return { result: await runOnce(commands.online, run, { ...place, policy }, onlineEnvironment()), from: 'network' }
}

const isLate = ({ entrance, untilMs }: SetupRun): boolean => entrance.clock.nowMs() >= untilMs

/** Beyond this, more output is only counted. */
const maxOutputBytes = 256 * 1024

async function runOnce(
  command: string,
  { entrance, environment, untilMs, signal }: SetupRun,
  place: Place,
  mode: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const { clock } = entrance
  const result = await runCommand({
    command,
    workspace: createWorkspace(entrance, place),
    launchId: place.launchId,
    isHidden: place.isCheckout === true,
    environment: { CI: 'true', ...environment, ...mode },
    clock,
    timeoutMs: Math.max(1, untilMs - clock.nowMs()),
    maxOutputBytes,
    ...(signal === undefined ? {} : { signal }),
  })
  signal?.throwIfAborted()
  if (isUnknown(result)) throw new Error(`the setup could not be run: ${lastLine(result.output)}`)
  return result
}

const lastLine = (output: string): string => redact(output.trim().split('\n').at(-1) ?? '')

export const hasSucceeded = ({ exitCode, timedOut, breach }: CommandResult): boolean =>
  exitCode === 0 && !timedOut && breach === undefined

/** A program that does not exist, and a limit that is exceeded, are the same with a network. */
const mayRepeat = ({ exitCode, timedOut, breach }: CommandResult): boolean =>
  exitCode !== 127 && !timedOut && breach === undefined

/** Returns the reason of a failure in one line. */
export function reasonOf({ exitCode, signal, timedOut, output, breach }: CommandResult, minutes: number): string {
  if (timedOut) return `it took longer than ${durationText(minutes)}`
  if (breach !== undefined) return breach
  const end = exitCode === null ? `it was ended by ${signal}` : `exit code ${exitCode}`
  const line = errorIn(redact(output))
  return line === null ? end : shorten(`${end}: ${line}`, 500)
}

const durationText = (minutes: number): string =>
  minutes < 1 ? `${Math.round(minutes * 60)} seconds` : `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`

/** Returns the lines in which npm states a code and a reason, or the line that looks most like an error. */
function errorIn(output: string): string | null {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const stated = lines.filter((line) => npmError.test(line)).map((line) => line.replace(npmError, ''))
  if (stated.length > 0) return stated.slice(0, 2).join(' ')
  return (
    lines.find((line) => /\b(error|fatal|failed|denied|not found|no such|no space)\b/i.test(line)) ??
    lines.at(-1) ??
    null
  )
}

const npmError = /^npm (?:error|ERR!)\s+(?:code\s+)?/

/** Returns the end of the output, where tools explain their failure. */
export const shownOutput = (output: string): string => redact(output).slice(-8_000)
