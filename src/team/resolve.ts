import { refusal } from '../kernel/errors.ts'
import {
  type Capability,
  type ModelChoice,
  type ResolvedTeam,
  type ResolvedTier,
  standardRuntime,
  type Team,
  tierDuties,
  type TierName,
  tierNames,
} from './contract.ts'

/** What this machine has to offer, and what was asked for beside the team file. */
export interface TeamEnvironment {
  readonly runtimes: readonly RuntimeState[]
  /** The coding agent of teams that name none; without one, whichever is installed. */
  readonly defaultRuntime?: string | null
  /** For all tiers, whatever the team says. */
  readonly runtime?: { readonly name: string; readonly options: Record<string, unknown> } | undefined
  readonly strict?: boolean
}

export interface RuntimeState {
  readonly name: string
  /** Null: it can run here. */
  readonly trouble: { readonly reason: string; readonly install: string } | null
  readonly simulated: boolean
  /** Whose models it uses, where those are always the same one's. */
  readonly provider?: string | undefined
  /** Its agents can divide their work among themselves; the option `native_teams` says whether they may. */
  readonly teams?: boolean | undefined
}

/** What is wrong with a line of the team file, here and now. */
export interface Problem {
  readonly path: readonly string[]
  readonly message: string
}

export type Resolution = { readonly team: ResolvedTeam } | { readonly problems: readonly Problem[] }

/** Who does what in which tier. What the team names is never replaced by something else; what it leaves open is, and is said. */
export function resolveTeam(team: Team, environment: TeamEnvironment): Resolution {
  const view: View = { team, environment, agent: codingAgentOf(team, environment) }
  const chosen = tierNames.map((tier) => [tier, chooseTier(view, tier)] as const)
  const problems = new Map(
    chosen.flatMap(([, choice]) =>
      'problem' in choice ? [[choice.problem.path.join('.'), choice.problem] as const] : [],
    ),
  )
  if (problems.size > 0) return { problems: [...problems.values()] }
  const found = chosen as (readonly [TierName, Choice])[]
  const { strictMode, logLevel, inspectionGates, gateTimeoutMinutes } = team.visibility
  const { gateTimeoutMinutes: inner, ...gates } = inspectionGates
  const strict = strictMode || environment.strict === true
  const { adapter, main = null } = team.vcs
  return {
    team: {
      strict,
      gates: strict ? { t1Plan: true, t2Lead: true, t2Synthesis: true, t3Plan: true, t5Verdict: true } : gates,
      gateTimeoutMinutes: inner ?? gateTimeoutMinutes,
      logLevel,
      limits: team.limits,
      tiers: Object.fromEntries(found.map(([tier, choice]) => [tier, choice.tier])) as ResolvedTeam['tiers'],
      vcs: { adapter, main },
      talent: team.talent,
      warnings: warningsOf(found),
    },
  }
}

interface View {
  readonly team: Team
  readonly environment: TeamEnvironment
  /** Null: there is none. */
  readonly agent: CodingAgent | null
}

interface CodingAgent {
  readonly name: string
  readonly why: string
  /** Where the team names it; null: it does not. */
  readonly path: readonly string[] | null
}

interface Choice {
  readonly tier: ResolvedTier
  /** Nobody asked for this: there was nothing else. */
  readonly fallback?: 'standard' | 'agent'
}

function codingAgentOf({ runtime }: Team, { runtimes, defaultRuntime = null }: TeamEnvironment): CodingAgent | null {
  if (runtime.codingAgent !== null)
    return { name: runtime.codingAgent, why: 'runtime.coding_agent', path: ['runtime', 'coding_agent'] }
  if (defaultRuntime !== null) return { name: defaultRuntime, why: 'default_runtime of config.yaml', path: null }
  const installed = runtimes.find((each) => isCodingAgent(each) && each.trouble === null)
  return installed === undefined ? null : { name: installed.name, why: 'the coding agent here', path: null }
}

/** One that needs no provider is a program of the operator's own, and one that only plays is never guessed. */
const isCodingAgent = ({ name, simulated, provider }: RuntimeState): boolean =>
  !simulated && provider !== undefined && name !== standardRuntime

function troubleOf({ runtimes }: TeamEnvironment, name: string, path: readonly string[]): Problem | null {
  const state = runtimes.find((each) => each.name === name)
  if (state === undefined)
    return { path, message: `there is no runtime "${name}"; there are ${runtimes.map((each) => each.name).join(', ')}` }
  if (state.trouble === null) return null
  return { path, message: `"${name}" cannot run here: ${state.trouble.reason}. ${state.trouble.install}` }
}

type Chosen = Choice | { readonly problem: Problem }

function chooseTier(view: View, tier: TierName): Chosen {
  const { team, environment, agent } = view
  const set = team.tiers[tier]
  const path = ['tiers', tier, 'runtime']
  const capability = set.capability ?? tierDuties[tier].capability
  const model = modelFor(team, capability, set.provider)
  if (set.provider !== undefined && model === null)
    return {
      problem: {
        path: ['tiers', tier, 'provider'],
        message: `no model of ${set.provider} is known for ${capability}: name one under capabilities`,
      },
    }
  const wish: Wish = { view, tier, capability, model }
  if (environment.runtime !== undefined) return named(wish, environment.runtime.name, '--runtime', null)
  const wanted = set.runtime ?? tierDuties[tier].runtime
  if (wanted === 'standard') {
    if (set.runtime !== undefined) return standard(wish, path.join('.'), path)
    return model === null ? byAgent(wish) : standard(wish, 'standard', ['capabilities', capability])
  }
  if (wanted !== 'coding_agent') return named(wish, wanted, path.join('.'), path)
  if (agent !== null) return named(wish, agent.name, agent.why, agent.path)
  if (model === null) throw nobody(environment, tier, capability)
  const choice = standard(wish, 'standard, for want of a coding agent', ['capabilities', capability])
  return 'problem' in choice ? choice : { ...choice, fallback: 'standard' }
}

interface Wish {
  readonly view: View
  readonly tier: TierName
  readonly capability: Capability
  readonly model: ModelChoice | null
}

function modelFor(team: Team, capability: Capability, provider: string | undefined): ModelChoice | null {
  const known = [team.capabilities[capability] ?? []].flat()
  return known.find((each) => provider === undefined || each.provider === provider) ?? null
}

/** A model by itself. */
function standard(wish: Wish, why: string, path: readonly string[]): Chosen {
  const { view, capability, model } = wish
  const problem = troubleOf(view.environment, standardRuntime, path)
  if (problem !== null) return { problem }
  if (model === null)
    return { problem: { path, message: `no model is known for ${capability}: name one under capabilities` } }
  const asked = view.environment.runtime?.options ?? view.team.tiers[wish.tier].options
  return choiceOf(wish, standardRuntime, { ...model, ...asked }, why)
}

/** No model is known: the coding agent thinks as well as it writes. */
function byAgent(wish: Wish): Chosen {
  const { agent, environment } = wish.view
  if (agent === null) throw nobody(environment, wish.tier, wish.capability)
  const choice = named(wish, agent.name, `${agent.why}, for want of a model`, agent.path)
  return 'problem' in choice ? choice : { ...choice, fallback: 'agent' }
}

/** `path`: where the file names it; null: it does not. */
function named(wish: Wish, name: string, why: string, path: readonly string[] | null): Chosen {
  const { view, model } = wish
  if (name === standardRuntime) return standard(wish, why, path ?? ['tiers', wish.tier])
  const { team, environment } = view
  const state = environment.runtimes.find((each) => each.name === name)
  const problem = troubleOf(environment, name, path ?? [])
  if (problem !== null) {
    if (path !== null) return { problem }
    throw refusal(state === undefined ? 'invalid_input' : 'no_runtime', `${why}: ${problem.message}`)
  }
  const ofAgent = name === view.agent?.name ? team.runtime.options : {}
  const asked = environment.runtime === undefined ? (team.tiers[wish.tier].options ?? ofAgent) : ofAgent
  const options = {
    // Another maker's model would be of no use to it.
    ...(model !== null && model.provider === state?.provider ? { model: model.model } : {}),
    ...(state?.teams === true ? { native_teams: team.runtime.nativeTeams } : {}),
    ...asked,
    ...environment.runtime?.options,
  }
  return choiceOf(wish, name, options, why)
}

function choiceOf(
  { view, tier, capability }: Wish,
  runtime: string,
  options: Record<string, unknown>,
  why: string,
): Choice {
  const { role, owns } = tierDuties[tier]
  const opaque = view.team.runtime.nativeTeams && runtime !== standardRuntime
  return { tier: { role, owns, capability, runtime, runtimeOptions: options, opaque, why } }
}

function warningsOf(found: readonly (readonly [TierName, Choice])[]): string[] {
  const fallen = (to: Choice['fallback']) => found.filter(([, { fallback }]) => fallback === to)
  const names = (tiers: readonly (readonly [TierName, Choice])[]): string =>
    tiers.map(([tier]) => tier.toUpperCase()).join('/')
  const [toStandard, toAgent] = [fallen('standard'), fallen('agent')]
  const missing = [...new Set(toAgent.map(([, { tier }]) => tier.capability))].join(', ')
  return [
    ...(toStandard.length === 0 ? [] : [`${names(toStandard)} runtime: standard (fallback)`]),
    ...(toAgent.length === 0
      ? []
      : [`${names(toAgent)} runtime: ${toAgent[0]?.[1].tier.runtime} (fallback): no model is set for ${missing}`]),
  ]
}

function nobody({ runtimes }: TeamEnvironment, tier: TierName, capability: Capability): Error {
  const agents = runtimes.filter(isCodingAgent)
  const installs = agents.flatMap(({ name, trouble }) =>
    trouble === null ? [] : [`${name}: ${trouble.reason} (${trouble.install}).`],
  )
  return refusal('no_runtime', `nobody is here for ${tier.toUpperCase()}: neither a coding agent nor a model`, {
    hint: [
      ...installs,
      `Or name a model for ${capability} under capabilities in the team file.`,
      '--runtime scripted simulates all tiers.',
    ].join(' '),
    data: { tier, capability },
  })
}
