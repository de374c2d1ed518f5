import type { ErrorCode } from '../kernel/errors.ts'
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

/** What keeps a run with this team from starting. */
export interface Problem {
  /** `invalid_input`: the file is wrong, wherever it is read; `no_runtime`: something is missing here. */
  readonly code: Extract<ErrorCode, 'invalid_input' | 'no_runtime'>
  /** Where the file says it; null: it does not. */
  readonly path: readonly string[] | null
  readonly message: string
  readonly hint?: string
}

export interface Resolution {
  /** As it would be without the problems. */
  readonly team: ResolvedTeam
  readonly problems: readonly Problem[]
}

/** Who does what in which tier. What the team names is never replaced by something else; what it leaves open is, and is said. */
export function resolveTeam(team: Team, environment: TeamEnvironment): Resolution {
  const view: View = { team, environment, agent: codingAgentOf(team, environment) }
  const chosen = tierNames.map((tier) => ({ name: tier, ...chooseTier(view, tier) }))
  const { strictMode, logLevel, inspectionGates, gateTimeoutMinutes } = team.visibility
  const { gateTimeoutMinutes: inner, ...gates } = inspectionGates
  const strict = strictMode || environment.strict === true
  const { adapter, main = null } = team.vcs
  const open = strict ? { t1Plan: true, t2Lead: true, t2Synthesis: true, t3Plan: true, t5Verdict: true } : gates
  return {
    team: {
      strict,
      gates: open,
      gateTimeoutMinutes: inner ?? gateTimeoutMinutes,
      logLevel,
      limits: team.limits,
      tiers: Object.fromEntries(chosen.map(({ name, tier }) => [name, tier])) as ResolvedTeam['tiers'],
      notify: team.notify,
      vcs: { adapter, main },
      talent: team.talent,
      warnings: warningsOf(chosen),
    },
    problems: once([...chosen.flatMap(({ problem }) => problem ?? []), ...unguarded(team, open.t5Verdict, strict)]),
  }
}

/** Whoever waits for verdicts goes on slice by slice; the gate holds all slices of a squad together. */
const unguarded = ({ limits }: Team, isGated: boolean, strict: boolean): Problem[] =>
  limits.pipelineRequires === 'verified' && isGated
    ? [
        {
          code: 'invalid_input',
          path: ['limits', 'pipeline_requires'],
          message: `"verified" cannot be had together with the gate t5_verdict${strict ? ', which strict mode opens' : ''}: tasks would go on past it`,
        },
      ]
    : []

/** What several tiers have in common is said once. */
const once = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((each) => [`${each.path?.join('.')} ${each.message}`, each])).values(),
]

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
  readonly problem?: Problem | null
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

interface Wish {
  readonly view: View
  readonly name: TierName
  readonly capability: Capability
  readonly model: ModelChoice | null
}

function chooseTier(view: View, name: TierName): Choice {
  const { team, environment, agent } = view
  const set = team.tiers[name]
  const capability = set.capability ?? tierDuties[name].capability
  const wish: Wish = { view, name, capability, model: modelFor(team, capability, set.provider) }
  const { model } = wish
  if (set.provider !== undefined && model === null)
    return standard(wish, 'standard', noModel(['tiers', name, 'provider'], `${capability} of ${set.provider}`))
  if (environment.runtime !== undefined) return named(wish, environment.runtime.name, '--runtime', null)
  const path = ['tiers', name, 'runtime']
  const wanted = set.runtime ?? tierDuties[name].runtime
  const ofModel = troubleOf(environment, standardRuntime, ['capabilities', capability])
  if (wanted === 'standard') {
    if (set.runtime !== undefined) return named(wish, standardRuntime, path.join('.'), path)
    return model === null ? byAgent(wish) : standard(wish, 'standard', ofModel)
  }
  if (wanted !== 'coding_agent') return named(wish, wanted, path.join('.'), path)
  if (agent !== null) return named(wish, agent.name, agent.why, agent.path)
  const problem = model === null ? nobody(environment) : ofModel
  return { ...standard(wish, 'standard, for want of a coding agent', problem), fallback: 'standard' }
}

function modelFor(team: Team, capability: Capability, provider: string | undefined): ModelChoice | null {
  const known = [team.capabilities[capability] ?? []].flat()
  return known.find((each) => provider === undefined || each.provider === provider) ?? null
}

/** A model by itself. */
function standard(wish: Wish, why: string, problem: Problem | null): Choice {
  const { environment, team } = wish.view
  const asked = environment.runtime?.options ?? team.tiers[wish.name].options
  return { ...choiceOf(wish, standardRuntime, { ...wish.model, ...asked }, why), problem }
}

/** No model is known: the coding agent thinks as well as it writes. */
function byAgent(wish: Wish): Choice {
  const { agent, environment } = wish.view
  if (agent === null) return standard(wish, 'standard', nobody(environment))
  return { ...named(wish, agent.name, `${agent.why}, for want of a model`, agent.path), fallback: 'agent' }
}

/** `path`: where the file names it; null: it does not. */
function named(wish: Wish, name: string, why: string, path: readonly string[] | null): Choice {
  const { view, model, capability } = wish
  const { team, environment } = view
  const problem = troubleOf(environment, name, path, why)
  if (name === standardRuntime)
    return standard(wish, why, problem ?? (model === null ? noModel(path, capability) : null))
  const state = environment.runtimes.find((each) => each.name === name)
  const ofAgent = name === view.agent?.name ? team.runtime.options : {}
  const asked = environment.runtime === undefined ? (team.tiers[wish.name].options ?? ofAgent) : ofAgent
  const options = {
    // Another maker's model would be of no use to it.
    ...(model !== null && model.provider === state?.provider ? { model: model.model } : {}),
    ...(state?.teams === true ? { native_teams: team.runtime.nativeTeams } : {}),
    ...asked,
    ...environment.runtime?.options,
  }
  return { ...choiceOf(wish, name, options, why), problem }
}

function choiceOf(
  { view, name, capability }: Wish,
  runtime: string,
  options: Record<string, unknown>,
  why: string,
): Choice {
  const { role, owns } = tierDuties[name]
  const opaque = view.team.runtime.nativeTeams && runtime !== standardRuntime
  return { tier: { role, owns, capability, runtime, runtimeOptions: options, opaque, why } }
}

/** `why`: who asks for it, where no line of the file does. */
function troubleOf(
  { runtimes }: TeamEnvironment,
  name: string,
  path: readonly string[] | null,
  why = '',
): Problem | null {
  const state = runtimes.find((each) => each.name === name)
  const who = path === null ? `${why}: ` : ''
  if (state === undefined)
    return {
      code: 'invalid_input',
      path,
      message: `${who}unknown runtime "${name}"; available: ${runtimes.map((each) => each.name).join(', ')}`,
    }
  if (state.trouble === null) return null
  const { reason, install } = state.trouble
  return { code: 'no_runtime', path, message: `${who}"${name}" cannot run here: ${reason}. ${install}` }
}

const noModel = (path: readonly string[] | null, what: string): Problem => ({
  code: 'invalid_input',
  path,
  message: `no model is known for ${what}: name one under capabilities`,
})

function nobody({ runtimes }: TeamEnvironment): Problem {
  const installs = runtimes
    .filter(isCodingAgent)
    .flatMap(({ name, trouble }) => (trouble === null ? [] : [`${name}: ${trouble.reason} (${trouble.install}).`]))
  return {
    code: 'no_runtime',
    path: null,
    message: 'nobody is here to do it: neither a coding agent nor, for every tier, a model',
    hint: [
      ...installs,
      'Name models under capabilities in the team file.',
      '--runtime scripted simulates all tiers.',
    ].join(' '),
  }
}

function warningsOf(chosen: readonly (Choice & { name: TierName })[]): string[] {
  const names = (tiers: readonly { name: TierName }[]): string => tiers.map(({ name }) => name.toUpperCase()).join('/')
  const toStandard = chosen.filter(({ fallback }) => fallback === 'standard')
  const toAgent = chosen.filter(({ fallback }) => fallback === 'agent')
  const missing = [...new Set(toAgent.map(({ tier }) => tier.capability))].join(', ')
  return [
    ...(toStandard.length === 0 ? [] : [`${names(toStandard)} runtime: standard (fallback)`]),
    ...(toAgent.length === 0
      ? []
      : [`${names(toAgent)} runtime: ${toAgent[0]?.tier.runtime} (fallback): no model is set for ${missing}`]),
  ]
}
