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

/** The runtimes of this machine, and the options of the request beside the team file. */
export interface TeamEnvironment {
  readonly runtimes: readonly RuntimeState[]
  /** The coding agent of teams that name none; without it, the first one that is installed. */
  readonly defaultRuntime?: string | null
  /** Overrides the runtime of all tiers, whatever the team states. */
  readonly runtime?: { readonly name: string; readonly options: Record<string, unknown> } | undefined
  readonly strict?: boolean
  /** The names of the configuration's notifiers; without them, names are not checked. */
  readonly notifiers?: readonly string[] | undefined
}

export interface RuntimeState {
  readonly name: string
  /** Null: it can run here. */
  readonly trouble: { readonly reason: string; readonly install: string } | null
  readonly simulated: boolean
  /** The provider of its models, where it has exactly one. */
  readonly provider?: string | undefined
  /** Whether its agents can divide their work among themselves; the option `native_teams` allows it. */
  readonly teams?: boolean | undefined
}

/** A reason why a run with this team cannot start. */
export interface Problem {
  /** `invalid_input`: the file is wrong on any machine; `no_runtime`: something is missing on this one. */
  readonly code: Extract<ErrorCode, 'invalid_input' | 'no_runtime'>
  /** The path in the file; null: the cause is not in the file. */
  readonly path: readonly string[] | null
  readonly message: string
  readonly hint?: string
}

export interface Resolution {
  /** The team as it would be without the problems. */
  readonly team: ResolvedTeam
  readonly problems: readonly Problem[]
}

/**
 * Decides the runtime and model of each tier. A runtime that the team names is never replaced; one that it leaves open
 * may be, with a warning.
 */
export function resolveTeam(team: Team, environment: TeamEnvironment): Resolution {
  const context: TeamContext = { team, environment, agent: codingAgentOf(team, environment) }
  const chosen = tierNames.map((tier) => ({ name: tier, ...chooseTier(context, tier) }))
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
      ...(team.setup === undefined ? {} : { setup: team.setup }),
      warnings: warningsOf(chosen),
    },
    problems: dropRepeated([
      ...chosen.flatMap(({ problem }) => problem ?? []),
      ...gateProblems(team, open.t5Verdict, strict),
      ...notifierProblems(team, environment),
    ]),
  }
}

/**
 * With `verified`, tasks continue slice by slice after their verdicts, but the gate holds all slices of a squad
 * together.
 */
const gateProblems = ({ limits }: Team, isGated: boolean, strict: boolean): Problem[] =>
  limits.pipelineRequires === 'verified' && isGated
    ? [
        {
          code: 'invalid_input',
          path: ['limits', 'pipeline_requires'],
          message: `"verified" cannot be combined with the gate t5_verdict${strict ? ', which strict mode opens' : ''}: tasks would continue past it`,
        },
      ]
    : []

const notifierProblems = ({ notify }: Team, { notifiers }: TeamEnvironment): Problem[] =>
  notify.flatMap((name, index) =>
    notifiers === undefined || notifiers.includes(name)
      ? []
      : [
          {
            code: 'invalid_input' as const,
            path: ['notify', String(index)],
            message: `config.yaml has no notifier "${name}"; its notifiers: ${notifiers.join(', ') || 'none'}`,
          },
        ],
  )

/** Drops repeated problems that several tiers have in common. */
const dropRepeated = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((each) => [`${each.path?.join('.')} ${each.message}`, each])).values(),
]

interface TeamContext {
  readonly team: Team
  readonly environment: TeamEnvironment
  /** Null: there is no coding agent. */
  readonly agent: CodingAgent | null
}

interface CodingAgent {
  readonly name: string
  readonly why: string
  /** The path in the team file; null: the file does not name it. */
  readonly path: readonly string[] | null
}

interface Choice {
  readonly tier: ResolvedTier
  /** Set where the tier has this runtime only because there was no other. */
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

/** A runtime without a provider is a program of the operator's own, and a simulated one is never chosen by default. */
const isCodingAgent = ({ name, simulated, provider }: RuntimeState): boolean =>
  !simulated && provider !== undefined && name !== standardRuntime

interface TierRequest {
  readonly context: TeamContext
  readonly name: TierName
  readonly capability: Capability
  readonly model: ModelChoice | null
}

function chooseTier(context: TeamContext, name: TierName): Choice {
  const { team, environment, agent } = context
  const set = team.tiers[name]
  const capability = set.capability ?? tierDuties[name].capability
  const request: TierRequest = { context, name, capability, model: modelFor(team, capability, set.provider) }
  const { model } = request
  if (set.provider !== undefined && model === null)
    return withModel(request, 'standard', noModel(['tiers', name, 'provider'], `${capability} of ${set.provider}`))
  if (environment.runtime !== undefined) return withRuntime(request, environment.runtime.name, '--runtime', null)
  const path = ['tiers', name, 'runtime']
  const wanted = set.runtime ?? tierDuties[name].runtime
  const modelProblem = runtimeProblem(environment, standardRuntime, ['capabilities', capability])
  if (wanted === 'standard') {
    if (set.runtime !== undefined) return withRuntime(request, standardRuntime, path.join('.'), path)
    return model === null ? withCodingAgent(request) : withModel(request, 'standard', modelProblem)
  }
  if (wanted !== 'coding_agent') return withRuntime(request, wanted, path.join('.'), path)
  if (agent !== null) return withRuntime(request, agent.name, agent.why, agent.path)
  const problem = model === null ? noRuntime(environment) : modelProblem
  return { ...withModel(request, 'standard, because there is no coding agent', problem), fallback: 'standard' }
}

function modelFor(team: Team, capability: Capability, provider: string | undefined): ModelChoice | null {
  const known = [team.capabilities[capability] ?? []].flat()
  return known.find((each) => provider === undefined || each.provider === provider) ?? null
}

/** Chooses a model without a coding agent. */
function withModel(request: TierRequest, why: string, problem: Problem | null): Choice {
  const { environment, team } = request.context
  const asked = environment.runtime?.options ?? team.tiers[request.name].options
  return { ...choiceOf(request, standardRuntime, { ...request.model, ...asked }, why), problem }
}

/** Chooses the coding agent where no model is configured: it can reason as well as write code. */
function withCodingAgent(request: TierRequest): Choice {
  const { agent, environment } = request.context
  if (agent === null) return withModel(request, 'standard', noRuntime(environment))
  return {
    ...withRuntime(request, agent.name, `${agent.why}, because there is no model`, agent.path),
    fallback: 'agent',
  }
}

/** Chooses a runtime by name. `path` is its path in the file; null: the file does not name it. */
function withRuntime(request: TierRequest, name: string, why: string, path: readonly string[] | null): Choice {
  const { context, model, capability } = request
  const { team, environment } = context
  const problem = runtimeProblem(environment, name, path, why)
  if (name === standardRuntime)
    return withModel(request, why, problem ?? (model === null ? noModel(path, capability) : null))
  const state = environment.runtimes.find((each) => each.name === name)
  const ofAgent = name === context.agent?.name ? team.runtime.options : {}
  const asked = environment.runtime === undefined ? (team.tiers[request.name].options ?? ofAgent) : ofAgent
  const options = {
    // A model of another provider would be useless to it.
    ...(model !== null && model.provider === state?.provider ? { model: model.model } : {}),
    ...(state?.teams === true ? { native_teams: team.runtime.nativeTeams } : {}),
    ...asked,
    ...environment.runtime?.options,
  }
  return { ...choiceOf(request, name, options, why), problem }
}

function choiceOf(
  { context, name, capability }: TierRequest,
  runtime: string,
  options: Record<string, unknown>,
  why: string,
): Choice {
  const { role, owns } = tierDuties[name]
  const opaque = context.team.runtime.nativeTeams && runtime !== standardRuntime
  return { tier: { role, owns, capability, runtime, runtimeOptions: options, opaque, why } }
}

/** `why` names the source of the runtime where it is not in the file. */
function runtimeProblem(
  { runtimes }: TeamEnvironment,
  name: string,
  path: readonly string[] | null,
  why = '',
): Problem | null {
  const state = runtimes.find((each) => each.name === name)
  const source = path === null ? `${why}: ` : ''
  if (state === undefined)
    return {
      code: 'invalid_input',
      path,
      message: `${source}unknown runtime "${name}"; available: ${runtimes.map((each) => each.name).join(', ')}`,
    }
  if (state.trouble === null) return null
  const { reason, install } = state.trouble
  return { code: 'no_runtime', path, message: `${source}"${name}" cannot run here: ${reason}. ${install}` }
}

const noModel = (path: readonly string[] | null, label: string): Problem => ({
  code: 'invalid_input',
  path,
  message: `no model is configured for ${label}; add one under capabilities`,
})

function noRuntime({ runtimes }: TeamEnvironment): Problem {
  const installs = runtimes
    .filter(isCodingAgent)
    .flatMap(({ name, trouble }) => (trouble === null ? [] : [`${name}: ${trouble.reason} (${trouble.install}).`]))
  return {
    code: 'no_runtime',
    path: null,
    message: 'no runtime is available: neither a coding agent nor a model for every tier',
    hint: [
      ...installs,
      'Add models under capabilities in the team file.',
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
