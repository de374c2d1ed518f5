import type { ReportVia, Scenario, Step, StepName, StepValue } from './contract.ts'

/** The host in which a scenario is played: a process of its own, or memory only. */
export interface ScriptedHost {
  say(text: string): Promise<void>
  write(path: string, text: string): Promise<void>
  run(command: string): Promise<void>
  log(message: string): Promise<void>
  usage(usage: StepValue<'usage'>): Promise<void>
  /** Announces the limit; the attempt ends afterwards. */
  limited(quota: StepValue<'quota'>): Promise<void>
  /** Reports whether the operation is allowed; if not, announces it, and the attempt ends afterwards. */
  mayDo(operation: StepValue<'destructive'>): Promise<boolean>
  wait(ms: number): Promise<void>
  tool(name: string, input: Record<string, unknown>): Promise<void>
  report(report: unknown, via: ReportVia): Promise<void>
  flood(megabytes: number, oneLine: boolean): Promise<void>
  garbage(lines: number): Promise<void>
  spawnChild(escape: boolean): Promise<void>
  ignoreSignals(): Promise<void>
  /** Never resolves. */
  hang(): Promise<void>
  keepToken(path: string): Promise<void>
  /** Resolves to the SHA-256 of a file; null if it cannot be read. */
  sha256(path: string): Promise<string | null>
  /** Returns the same host that calls Agency with another token. */
  withToken(token: { readonly path?: string | undefined; readonly token?: string | undefined }): Promise<ScriptedHost>
}

export interface Ending {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** One line, if an error of the scenario ended it. */
  readonly detail?: string
}

/** Plays the steps of the given attempt in order, up to the one that ends it or the last. */
export async function interpret(scenario: Scenario, attempt: number, host: ScriptedHost): Promise<Ending> {
  const steps = scenario.attempts[Math.min(attempt, scenario.attempts.length) - 1] ?? []
  return (await playAll(steps, host)) ?? { exitCode: 0, signal: null }
}

async function playAll(steps: readonly Step[], host: ScriptedHost): Promise<Ending | null> {
  for (const step of steps) {
    const name = Object.keys(step)[0] as StepName
    const play = plays[name] as (value: unknown, host: ScriptedHost) => Promise<Ending | void>
    const ending = await play((step as Record<string, unknown>)[name], host)
    if (ending !== undefined) return ending
  }
  return null
}

const plays: { readonly [Name in StepName]: (value: StepValue<Name>, host: ScriptedHost) => Promise<Ending | void> } = {
  say: (text, host) => host.say(text),
  write: ({ path, text }, host) => host.write(path, text),
  run: (command, host) => host.run(command),
  log: (message, host) => host.log(message),
  usage: (usage, host) => host.usage(usage),
  wait: ({ ms }, host) => host.wait(ms),
  tool: ({ name, input }, host) => host.tool(name, input),
  report: async ({ via, ...report }, host) => host.report(await withHashes(report, host), via),
  raw_report: ({ via, body }, host) => host.report(body, via),
  quota: async (quota, host) => {
    await host.limited(quota)
    return { exitCode: 1, signal: null }
  },
  destructive: async (operation, host) => ((await host.mayDo(operation)) ? undefined : { exitCode: 0, signal: null }),
  exit: async ({ code }) => ({ exitCode: code, signal: null }),
  crash: async ({ signal }) => ({ exitCode: null, signal }),
  ignore_signals: (_, host) => host.ignoreSignals(),
  hang: (_, host) => host.hang(),
  flood: ({ megabytes, one_line }, host) => host.flood(megabytes, one_line),
  garbage: ({ lines }, host) => host.garbage(lines),
  spawn_child: ({ escape }, host) => host.spawnChild(escape),
  keep_token: ({ path }, host) => host.keepToken(path),
  with_token: async ({ steps, ...token }, host) =>
    (await playAll(steps as unknown as Step[], await host.withToken(token))) ?? undefined,
}

/** A verifier that has this text as the hash of a checked file opens the file and computes it. */
export const computedHash = 'computed'

async function withHashes(report: Omit<StepValue<'report'>, 'via'>, host: ScriptedHost): Promise<unknown> {
  const { verdict } = report
  if (typeof verdict !== 'object' || verdict === null || !('checked' in verdict) || !Array.isArray(verdict.checked))
    return report
  const checked: unknown[] = []
  for (const item of verdict.checked as unknown[]) checked.push(await withHash(item, host))
  return { ...report, verdict: { ...verdict, checked } }
}

async function withHash(item: unknown, host: ScriptedHost): Promise<unknown> {
  const { path, sha256, ...more } = (item ?? {}) as { path?: unknown; sha256?: unknown }
  if (sha256 !== computedHash || typeof path !== 'string') return item
  const hash = await host.sha256(path)
  return { path, ...(hash === null ? {} : { sha256: hash }), ...more }
}
