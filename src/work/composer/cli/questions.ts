import { resolve } from 'node:path'

import { depths, type newCommand } from '../../../cli/commands/new.ts'
import type { CliContext } from '../../../cli/context.ts'
import type { OptionsFor } from '../../../cli/declare.ts'
import { plain } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { counted } from '../../../kernel/amounts.ts'
import { refusal } from '../../../kernel/errors.ts'
import { shellWords } from '../../../kernel/shell-words.ts'
import { parseEvidence, parseOptions, programWords } from '../../runs/cli/arguments.ts'
import { scriptIn } from '../../runs/cli/readable-paths.ts'
import type { Template } from '../../templates/contract.ts'
import type { CommandCheck, RepositoryCheck, RunEstimate, RuntimeChoice } from '../contract.ts'
import { composerEndpoints } from '../endpoints.ts'

type NewOptions = OptionsFor<typeof newCommand>

/** Asks a person one question; null: there is no answer, because the input has ended or was interrupted. */
export type Ask = (question: string) => Promise<string | null>

interface Composition {
  readonly listed: { readonly templates: readonly Wire<Template>[] }
  readonly template: Wire<Template> | null
  readonly options: NewOptions
  /** Null: there is no person, so that every open answer is its default. */
  readonly ask: Ask | null
  /** Returns a template with its commands, once they are trusted. */
  readonly trusted: (template: Wire<Template>) => Promise<Wire<Template>>
}

/** The person has ended the questions. */
class Ended extends Error {}

/** Returns the request for a run from flags, template, answers and defaults, in this order; null: the person ended it. */
export async function composeRun(context: CliContext, composition: Composition): Promise<object | null> {
  try {
    return await compose(context, composition)
  } catch (error) {
    if (error instanceof Ended) return null
    throw error
  }
}

async function compose(
  context: CliContext,
  { listed, options, ask, ...composition }: Composition,
): Promise<object | null> {
  const say = (line: string): void => context.err(line)
  const api = context.api()
  const template = composition.template ?? (await chooseTemplate(ask, say, listed.templates, composition.trusted))
  const run = (template?.run ?? {}) as Wire<Template>['run']
  const goal = await goalOf(ask, template, options.goal)
  const choices = await api.call<{ runtimes: Wire<RuntimeChoice>[]; runtime: string | null; acceptance: string }>(
    composerEndpoints.choices,
    {},
  )

  const inspect = (path: string) => api.call<Wire<RepositoryCheck>>(composerEndpoints.repository, { path })
  const repository = await repositoryOf({ ask, say, inspect, given: options.repo ?? run.repo })
  const agent = await agentOf({ ask, say, options, run, ...choices })
  const evidence = await evidenceOf({
    ask,
    say,
    options,
    run,
    repository,
    check: (commands) =>
      api.call(composerEndpoints.check, { commands, ...(repository === null ? {} : { repo: repository.path }) }),
  })
  const team = await teamOf(ask, options, run)
  const usd = await limitOf(ask, say, options.usd ?? run.cost_limit)
  const planGate = team
    ? undefined
    : (options.planGate ?? run.plan_gate ?? (await yes(ask, 'Approve the plan before the work starts? [y/N]', false)))
  const acceptance = team ? undefined : (options.acceptance ?? run.acceptance)

  if (ask !== null) {
    const estimate = await api.call<Wire<RunEstimate>>(composerEndpoints.estimate, {
      ...(team ? { playbook: depths.team } : {}),
      runtime: agent.runtime,
    })
    say(estimateText(estimate))
    if (!(await yes(ask, `Start ${agent.simulated ? 'this simulated run' : 'the run'}? [Y/n]`, true))) return null
  }
  const {
    cost_limit: _limit,
    plan_gate: _plan,
    acceptance: _acceptance,
    repo: _repo,
    base,
    setup,
    protected: barred,
    playbook: _playbook,
    ...others
  } = run
  return {
    ...others,
    ...(agent.scripts.length === 0 ? {} : { readable: agent.scripts }),
    ...(repository === null ? {} : { repo: repository.path, base, setup, protected: barred }),
    ...(team ? { playbook: depths.team } : {}),
    goal,
    runtime: agent.runtime,
    runtime_options: agent.options,
    evidence,
    cost_limit: usd,
    plan_gate: planGate,
    acceptance,
  }
}

/** Asks until the answer is accepted; `accept` returns null after it has said why an answer is not. */
async function until<T>(
  ask: Ask,
  question: string,
  accept: (answer: string) => Promise<T | null> | T | null,
): Promise<T> {
  for (;;) {
    const answer = await ask(question)
    if (answer === null) throw new Ended()
    const accepted = await accept(answer.trim())
    if (accepted !== null) return accepted
  }
}

async function yes(ask: Ask | null, question: string, otherwise: boolean): Promise<boolean> {
  if (ask === null) return otherwise
  return until(ask, question, (answer) =>
    answer === '' ? otherwise : /^y(es)?$/i.test(answer) ? true : /^no?$/i.test(answer) ? false : null,
  )
}

async function chooseTemplate(
  ask: Ask | null,
  say: (line: string) => void,
  templates: readonly Wire<Template>[],
  trusted: Composition['trusted'],
): Promise<Wire<Template> | null> {
  if (ask === null) return null
  templates.forEach(({ title, description }, index) => say(`  ${index + 1}  ${plain(title)}  ${plain(description)}`))
  const found = await until(ask, 'Template, by number or name [none]:', (answer) => {
    if (answer === '') return 'none'
    const template = templates[Number(answer) - 1] ?? templates.find(({ name }) => name === answer)
    if (template === undefined) say(`there is no template "${answer}"`)
    return template ?? null
  })
  return found === 'none' ? null : trusted(found)
}

const maxGoal = 20_000

async function goalOf(ask: Ask | null, template: Wire<Template> | null, given: string | undefined): Promise<string> {
  const question = template?.ask ?? 'What should the run achieve?'
  const needsOwn = template === null || template.ask !== null || template.goal === ''
  const own = given ?? (ask === null || !needsOwn ? '' : await until(ask, plain(question), (answer) => answer || null))
  if (own.trim() === '' && needsOwn)
    throw refusal('invalid_input', 'the goal is empty: describe what the run should achieve', {
      hint: 'Add --goal "…".',
    })
  const goal = [own.trim(), template?.goal ?? ''].filter((part) => part !== '').join('\n\n')
  if (goal.length > maxGoal)
    throw refusal('invalid_input', `the goal has ${goal.length} characters, and a goal has at most ${maxGoal}`, {
      hint: 'Put the details into a file of the repository and name that file in the goal.',
    })
  return goal
}

async function repositoryOf({
  ask,
  say,
  inspect,
  given,
}: {
  ask: Ask | null
  say: (line: string) => void
  inspect: (path: string) => Promise<Wire<RepositoryCheck>>
  given: string | undefined
}): Promise<Wire<RepositoryCheck> | null> {
  const checked = async (path: string): Promise<Wire<RepositoryCheck> | null> => {
    const found = await inspect(path.startsWith('~') ? path : resolve(path))
    if (found.usable) for (const warning of found.warnings) say(`note: ${warning}`)
    return found.usable ? found : (say(`${found.problem?.message ?? ''}. ${found.problem?.hint ?? ''}`), null)
  }
  if (given === 'none') return null
  if (given !== undefined) {
    const found = await inspect(given.startsWith('~') ? given : resolve(given))
    if (!found.usable)
      throw refusal('invalid_input', found.problem?.message ?? 'the repository cannot be used', {
        hint: found.problem?.hint ?? 'Name another one with --repo.',
      })
    for (const warning of found.warnings) say(`note: ${warning}`)
    return found
  }
  if (ask === null) return null
  const here = await inspect(resolve('.'))
  const otherwise = here.usable ? here.path : 'none'
  return until(ask, `Repository [${otherwise}]:`, async (answer) => {
    const path = answer === '' ? otherwise : answer
    return path === 'none' ? 'none' : checked(path)
  }).then((found) => (found === 'none' ? null : found))
}

async function agentOf({
  ask,
  say,
  options,
  run,
  runtimes,
  runtime: usual,
}: {
  ask: Ask | null
  say: (line: string) => void
  options: NewOptions
  run: Wire<Template>['run']
  runtimes: readonly Wire<RuntimeChoice>[]
  runtime: string | null
}): Promise<{ runtime: string; options: Record<string, unknown>; simulated: boolean; scripts: string[] }> {
  const named = options.runtime ?? (options.program === undefined ? run.runtime : 'program')
  const own: Record<string, unknown> = {
    // The template has chosen them for the agent that it names.
    ...(run.runtime === undefined || run.runtime === named ? run.runtime_options : {}),
    ...parseOptions(options.option ?? []),
    ...(options.program === undefined ? {} : { command: programWords(options.program) }),
  }
  const offered = runtimes.filter((each) => each.offered)
  const otherwise = usual ?? (ask === null ? undefined : offered.find(({ simulated }) => simulated)?.name)
  const describe = ({ name, title, usable, simulated, version, reason, install }: Wire<RuntimeChoice>): string =>
    `  ${name}  ${title}${version === null ? '' : ` ${version}`}${simulated ? ' (simulated: calls no model)' : ''}${usable ? '' : `, not usable: ${reason}; next: ${install}`}`
  const accept = (name: string): Wire<RuntimeChoice> | null => {
    const found = runtimes.find((each) => each.name === name)
    if (found?.usable === true) return found
    say(found === undefined ? `there is no agent "${name}"` : `${found.title} cannot run here: ${found.reason}`)
    return null
  }
  if (named === undefined && ask !== null) for (const each of offered) say(describe(each))
  const chosen =
    named === undefined && ask !== null
      ? await until(ask, `Agent${otherwise === undefined ? '' : ` [${otherwise}]`}:`, (answer) =>
          accept(answer || (otherwise ?? '')),
        )
      : runtimes.find((each) => each.name === (named ?? otherwise))
  if (chosen === undefined) throw noAgent(named, runtimes)
  for (const { name, label, is_required: isRequired, is_command: isCommand, choices } of chosen.fields) {
    if (!isRequired || own[name] !== undefined || ask === null) continue
    own[name] = await until(ask, `${label}${choices === null ? '' : ` (${choices.join(', ')})`}:`, (answer) => {
      if (answer === '' || (choices !== null && !choices.includes(answer))) return null
      const words = isCommand ? shellWords(answer) : null
      if (words !== null && 'open' in words) return (say('a quote is not closed'), null)
      return words === null ? answer : words.words
    })
  }
  const scripts = chosen.fields.flatMap(({ name, is_command: isCommand }) => {
    const words = own[name]
    const script = isCommand && Array.isArray(words) ? scriptIn(words.map(String)) : null
    return script === null ? [] : [script]
  })
  return { runtime: chosen.name, options: own, simulated: chosen.simulated, scripts }
}

function noAgent(named: string | undefined, runtimes: readonly Wire<RuntimeChoice>[]): Error {
  const names = runtimes.map(({ name, simulated }) => (simulated ? `${name} (simulated)` : name)).join(', ')
  if (named !== undefined)
    return refusal('no_runtime', `there is no agent "${named}"`, { hint: `Name one with --runtime: ${names}.` })
  const [missing] = runtimes.filter(({ usable }) => !usable)
  const install = missing === undefined ? '' : `${missing.title}: ${missing.reason} (${missing.install}). `
  return refusal('no_runtime', 'no coding agent is set up here, and none was named', {
    hint: `${install}Or name one with --runtime: ${names}.`,
  })
}

async function evidenceOf({
  ask,
  say,
  options,
  run,
  repository,
  check,
}: {
  ask: Ask | null
  say: (line: string) => void
  options: NewOptions
  run: Wire<Template>['run']
  repository: Wire<RepositoryCheck> | null
  check: (commands: readonly string[]) => Promise<{ commands: Wire<CommandCheck>[] }>
}): Promise<object[]> {
  const warn = async (evidence: object[]): Promise<object[]> => {
    const commands = evidence.flatMap((each) => ('run' in each && typeof each.run === 'string' ? [each.run] : []))
    if (commands.length === 0) return evidence
    for (const { program, found } of (await check(commands)).commands)
      if (found === false)
        say(`note: the program "${program}" was not found on this machine; the setup of the repository may install it`)
    return evidence
  }
  const { evidence: given } = options
  if (given !== undefined) return warn(given.includes('none') ? [] : given.map(parseEvidence))
  if (run.evidence !== undefined) return warn(run.evidence)
  const suggested = repository?.proofs.find(({ kind }) => kind === 'test')
  if (ask === null) return []
  if (suggested !== undefined) say(`  found: ${plain(suggested.from)}`)
  const otherwise = suggested === undefined ? 'none' : plain(suggested.run)
  const command = await until(ask, `Proof, a command that must succeed [${otherwise}]:`, (answer) =>
    answer === '' ? (suggested?.run ?? 'none') : answer,
  )
  return command === 'none' ? [] : warn([{ kind: 'command', run: command }])
}

async function teamOf(ask: Ask | null, { depth }: NewOptions, { playbook }: Wire<Template>['run']): Promise<boolean> {
  if (depth !== undefined) return depth === 'team'
  if (playbook !== undefined) return playbook === depths.team
  if (ask === null) return false
  return until(ask, 'One agent, or a team in five tiers? [one]:', (answer) =>
    answer === '' || answer === 'one' ? false : answer === 'team' ? true : null,
  )
}

async function limitOf(
  ask: Ask | null,
  say: (line: string) => void,
  given: number | undefined,
): Promise<number | undefined> {
  if (given !== undefined || ask === null) return given
  const limit = await until(ask, 'Limit in US dollars [none]:', (answer) => {
    if (answer === '' || answer === 'none') return 'none'
    const amount = Number(answer.replace(/^\$/, ''))
    if (amount > 0 && amount <= 1e6) return amount
    say('the limit must be an amount above 0, such as 5 or 0.50')
    return null
  })
  return limit === 'none' ? undefined : limit
}

function estimateText({ runs, simulated, minutes, usd }: Wire<RunEstimate>): string {
  const kind = simulated ? 'simulated run' : 'run'
  if (runs === 0) return `No estimate yet: no ${kind} of this kind has completed here.`
  const time = minutes === null ? '' : `${Math.round(minutes.low)}–${Math.max(1, Math.round(minutes.high))} min`
  const cost = usd === null ? (simulated ? '' : ', cost unknown') : `, $${usd.low.toFixed(2)}–${usd.high.toFixed(2)}`
  return `Likely ${time}${cost} (from ${counted(runs, kind)} here, without waits for you)`
}
