import type { newCommand } from '../../cli/commands/new.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler, OptionsFor } from '../../cli/declare.ts'
import { faultLine } from '../../cli/faults.ts'
import { plain, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { settingsOfRun } from '../continuations/cli/settings.ts'
import type { Run } from '../runs/contract.ts'
import { printStarted } from '../runs/cli/started.ts'
import { runEndpoints } from '../runs/endpoints.ts'
import type { BrokenTemplate, Template } from '../templates/contract.ts'
import { templateEndpoints } from '../templates/endpoints.ts'
import { confirmTrust } from '../trusted-files/cli.ts'
import { reviewLines } from '../trusted-files/cli/review-lines.ts'
import { trustedFileEndpoints } from '../trusted-files/endpoints.ts'
import { type Ask, composeRun } from './cli/questions.ts'

export interface Listed {
  folder: string | null
  templates: Wire<Template>[]
  broken: Wire<BrokenTemplate>[]
}

/** Composes a run from flags and, on a terminal, from answers; prints its id like `agency run`. */
export const newRun: Handler<typeof newCommand> = async (context, name, options) => {
  const listed = await context.api().call<Listed>(templateEndpoints.list, {})
  if (options.list) return listTemplates(context, listed, options.json)
  const ask = options.yes ? null : terminalAsk()
  const chosen = await beginningOf(context, listed, name, options)
  const input = await composeRun(context, {
    listed,
    template: chosen,
    options,
    ask,
    trusted: (template) => trusted(context, template, options),
  })
  if (input === null) {
    context.err('agency: nothing was started')
    return 1
  }
  const run = await context.api().call<Wire<Run>>(runEndpoints.create, input)
  return printStarted(context, run, options)
}

/** Returns the template to begin with: a named one, or the settings of an earlier run; null: the person chooses. */
async function beginningOf(
  context: CliContext,
  listed: Listed,
  name: string | undefined,
  options: OptionsFor<typeof newCommand>,
): Promise<Wire<Template> | null> {
  const { from, goal } = options
  if (from === undefined) return name === undefined ? null : trusted(context, templateNamed(listed, name), options)
  const run = await context.api().call<Wire<Run>>(runEndpoints.show, { run_id: from })
  return {
    name: 'earlier-run',
    title: `As ${run.id}`,
    description: '',
    ask: null,
    goal: goal === undefined ? run.goal_anchor : '',
    path: null,
    run: settingsOfRun(run),
    review: null,
    text: null,
  }
}

function listTemplates(context: CliContext, listed: Listed, json: true | undefined): number {
  if (json) {
    context.json(listed)
    return 0
  }
  const rows = listed.templates.map(({ name, title, path, review, description }) => [
    name,
    plain(title),
    path === null ? 'built in' : review === null || review.trusted ? 'file' : 'file, not trusted',
    plain(description),
  ])
  const columns = [
    { title: 'TEMPLATE' },
    { title: 'TITLE' },
    { title: 'FROM' },
    { title: 'ABOUT', flexible: true },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  for (const { path, faults } of listed.broken) for (const fault of faults) context.err(faultLine(fault, plain(path)))
  if (listed.folder !== null) context.err(`agency: files in ${listed.folder} are templates of yours`)
  return 0
}

function templateNamed({ templates, broken }: Listed, name: string): Wire<Template> {
  const found = templates.find((each) => each.name === name)
  if (found !== undefined) return found
  const file = broken.find(({ path }) => path.replace(/^.*\//, '').replace(/\.ya?ml$/, '') === name)
  const [fault] = file?.faults ?? []
  if (file !== undefined && fault !== undefined)
    throw refusal('invalid_input', `the template "${name}" cannot be used: ${faultLine(fault, file.path)}`, {
      hint: '"agency new --list" lists all faults.',
    })
  const guess = nearest(
    name,
    templates.map((each) => each.name),
  )
  throw refusal('not_found', `no template "${name}"${guess === null ? '' : `; did you mean "${guess}"?`}`, {
    hint: '"agency new --list" lists the templates.',
  })
}

/** Returns the template with its commands, once the operator has seen and trusted them. */
async function trusted(
  context: CliContext,
  template: Wire<Template>,
  { trust }: Pick<OptionsFor<typeof newCommand>, 'trust'>,
): Promise<Wire<Template>> {
  const { review, path, text } = template
  if (review === null || review.trusted || text === null) return template
  for (const line of reviewLines(context, review)) context.err(line)
  if (!trust && !(await confirmTrust(1)))
    throw refusal('trust_required', `the template "${template.name}" is not trusted and would start commands`, {
      hint: `Read what it starts, then trust it with "agency trust ${path ?? 'FILE'}", or repeat the command with --trust.`,
    })
  const input = { text, hash: review.hash, ...(path === null ? {} : { name: path }) }
  await context.api().call(trustedFileEndpoints.trust, input)
  const found = templateNamed(await context.api().call<Listed>(templateEndpoints.list, {}), template.name)
  // An edit since then was never shown, and its commands, the proofs among them, would be left out without a word.
  if (found.review?.hash !== review.hash || !found.review.trusted)
    throw refusal('conflict', `the template "${template.name}" was changed while you read it`, {
      hint: 'Repeat the command, and read what it starts now.',
    })
  return found
}

/** Returns a function that asks a person; null where there is none, such as in a script. */
function terminalAsk(): Ask | null {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return null
  return async (question) => {
    const { createPrompter } = await import('../../cli/prompter.ts')
    const withdrawn = new AbortController()
    const onInterrupt = (): void => withdrawn.abort()
    const prompter = createPrompter({ input: process.stdin, output: process.stderr, onInterrupt })
    return prompter.ask(`${question} `, withdrawn.signal)
  }
}
