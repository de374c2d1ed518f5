import type { Runtime } from '../../adapters/runtime/port.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import type { ResolvedTeam } from '../../team/contract.ts'
import { type CheckTalent, type Installation, resolveTeamOfRun, type TeamFile } from '../../team/open.ts'
import type { CreateRun, RunConfiguration } from './contract.ts'

export interface PrepareDeps {
  runtimes: ReadonlyMap<string, Runtime>
  defaults: { readonly runtime: string | null }
  /** The team of runs without one of their own, if it is configured. */
  homeTeam?: (() => TeamFile | null) | undefined
  /** The names of the configuration's notifiers, which a team may name. */
  notifiers?: readonly string[] | undefined
  checkTalent: CheckTalent
  readTeam?: Installation['readTeam']
  /** Reads the talent pool of a team; refuses a missing one. */
  prepareTalent?: ((talent: ResolvedTeam['talent']) => Promise<void>) | undefined
}

/** The playbook, the runtime and the team of a new run. */
export interface Prepared {
  readonly playbook: Playbook
  /** The runtime of briefs that name none. */
  readonly runtime: string
  readonly runtimeOptions: Record<string, unknown>
  readonly team: ResolvedTeam | null
}

/** Refuses input that can never run here, before any row is created. */
export async function prepareRun(deps: PrepareDeps, playbook: Playbook, input: CreateRun): Promise<Prepared> {
  playbook.checkInput?.(input)
  if (playbook.workRuntime !== undefined) {
    const team = await prepareTeam(deps, input)
    const { runtime, runtimeOptions } = playbook.workRuntime(team)
    return { playbook, runtime, runtimeOptions, team }
  }
  const runtime = await chooseRuntime(deps, input)
  await checkRuntimes(deps, runtime, input)
  return { playbook, runtime, runtimeOptions: input.runtimeOptions, team: null }
}

async function prepareTeam(deps: PrepareDeps, input: CreateRun): Promise<ResolvedTeam> {
  const file = input.team === undefined ? (deps.homeTeam?.() ?? null) : { text: input.team, name: 'team' }
  const team = await resolveTeamOfRun(file, deps, {
    defaultRuntime: deps.defaults.runtime,
    runtime: runtimeOfAll(deps, input),
    strict: input.strict,
    notifiers: deps.notifiers,
  })
  await deps.prepareTalent?.(team.talent)
  return team
}

/** A runtime that the run names applies to every tier; options alone apply to the default runtime. */
function runtimeOfAll({ defaults }: PrepareDeps, { runtime, runtimeOptions: options }: CreateRun) {
  if (runtime !== undefined) return { name: runtime, options }
  if (Object.keys(options).length === 0) return undefined
  if (defaults.runtime === null)
    throw refusal('invalid_input', 'options are for a runtime, and none is named', { hint: 'Name it with --runtime.' })
  return { name: defaults.runtime, options }
}

/** Chooses an installed coding agent if none is named. The choice never falls on a simulation. */
async function chooseRuntime(deps: PrepareDeps, input: CreateRun): Promise<string> {
  const named = input.runtime ?? deps.defaults.runtime
  if (named !== null) return named
  let hint: string | null = null
  for (const { name, capabilities, available } of deps.runtimes.values()) {
    // A runtime without a provider is a program of the operator: only she can name it.
    if (capabilities.simulated || capabilities.provider === undefined) continue
    const found = await available()
    if (found.ok) return name
    hint ??= `${name}: ${found.reason} (${found.install}).`
  }
  const ofBriefs = input.planner ? null : namedByAll(deps, input)
  if (ofBriefs !== null) return ofBriefs
  throw refusal('no_runtime', 'no coding agent is set up here, and none was named', {
    hint: [
      hint,
      'Use --program "<command>" for an agent of your own, --runtime llm for a model, or --runtime scripted to simulate one (workspace exec: --binary instead of --runtime).',
    ]
      .filter((line) => line !== null)
      .join(' '),
    data: { runtimes: [...deps.runtimes.keys()] },
  })
}

/** Returns a runtime that the briefs name, one that is not simulated if possible; null: a brief names none. */
function namedByAll({ runtimes }: PrepareDeps, { briefs }: CreateRun): string | null {
  const names = briefs.map(({ runtime }) => runtime).filter((name) => name !== undefined)
  if (names.length < briefs.length) return null
  return names.find((name) => runtimes.get(name)?.capabilities.simulated !== true) ?? names[0] ?? null
}

/** Refuses the settings of an earlier run if its runtimes are no longer usable here. */
export async function checkRuntimesAgain(
  deps: PrepareDeps,
  { runtime, team, verifierRuntime, verifierOptions }: RunConfiguration,
  input: CreateRun,
): Promise<void> {
  if (team !== undefined)
    for (const tier of Object.values(team.tiers)) await checkRuntime(deps, tier.runtime, tier.runtimeOptions, true)
  else
    await checkRuntimes(deps, runtime, {
      ...input,
      verifierRuntime: verifierRuntime ?? undefined,
      verifierOptions: verifierOptions ?? undefined,
    })
}

async function checkRuntimes(deps: PrepareDeps, runtime: string, input: CreateRun): Promise<void> {
  await checkRuntime(
    deps,
    runtime,
    input.runtimeOptions,
    input.briefs.length === 0 || input.briefs.some((brief) => brief.runtimeOptions === undefined),
  )
  for (const brief of input.briefs) {
    if (brief.runtime === undefined && brief.runtimeOptions === undefined) continue
    await checkRuntime(deps, brief.runtime ?? runtime, brief.runtimeOptions ?? input.runtimeOptions, true)
  }
  const { verifierRuntime, verifierOptions } = input
  if (verifierRuntime !== undefined || verifierOptions !== undefined)
    await checkRuntime(deps, verifierRuntime ?? runtime, verifierOptions ?? {}, true)
}

async function checkRuntime(
  deps: PrepareDeps,
  name: string,
  options: Record<string, unknown>,
  checkOptions: boolean,
): Promise<void> {
  const runtime = deps.runtimes.get(name)
  if (runtime === undefined)
    throw refusal('invalid_input', `there is no runtime "${name}"`, {
      hint: `There are: ${[...deps.runtimes.keys()].join(', ')}.`,
    })
  const available = await runtime.available()
  if (!available.ok)
    throw refusal('no_runtime', `the runtime "${name}" cannot run here: ${available.reason}`, {
      hint: available.install,
    })
  if (checkOptions) checkRuntimeOptions(runtime, options)
}

/** Names the field of the request in a refusal, so that a form can show it there. */
function checkRuntimeOptions(runtime: Runtime, options: Record<string, unknown>): void {
  try {
    runtime.checkOptions(options)
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    const { code, message, hint, data } = error
    const issues = [{ path: 'runtime_options', message }]
    throw refusal(code, message, { ...(hint === undefined ? {} : { hint }), data: { issues, ...data }, cause: error })
  }
}
