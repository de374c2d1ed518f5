import { existsSync, writeFileSync } from 'node:fs'

import { loadConfiguration } from '../../config/load.ts'
import { createRuntimes } from '../../daemon/runtimes.ts'
import { refusal } from '../../kernel/errors.ts'
import { printWarnings } from '../answers.ts'
import type { initCommand } from '../commands/init.ts'
import type { CliContext } from '../context.ts'
import type { Handler, OptionsFor } from '../declare.ts'
import { createPrompter } from '../prompter.ts'
import { plain, signText } from '../terminal.ts'
import { linesOf, resolveTeamText } from './team.ts'

type Agent = 'claude-code' | 'scripted'

export interface TeamChoices {
  agent: Agent
  planner: { provider: string; model: string } | null
  strict: boolean
}

/** Writes a team file that has passed the check of "agency doctor --team". */
export const init: Handler<typeof initCommand> = async (context, file, options) => {
  if (existsSync(file) && !options.force) throw existsAlready(file)
  const found = await findAgent(context)
  const isAsked = !options.json && process.stdin.isTTY === true && process.stderr.isTTY === true
  const choices = isAsked ? await ask(context, options, found) : choicesOf(options, found)
  if (choices === null) {
    context.err('agency: nothing was written')
    return 130
  }
  const text = teamText(file, choices)
  const checked = await resolveTeamText(context, { text, name: file })
  if (!checked.ok) {
    for (const line of linesOf(checked)) context.err(line)
    return 2
  }
  try {
    writeFileSync(file, text, { flag: options.force ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existsAlready(file)
    throw refusal('invalid_input', `${file} cannot be written: ${(error as Error).message}`)
  }
  const warnings = [...(choices.agent === 'scripted' ? [simulated] : []), ...checked.team.warnings]
  printWarnings(context, warnings)
  if (options.json) context.json({ file, ...choices, warnings })
  else {
    context.out(`${signText(context, 'good')} wrote ${file}; its check found no fault`)
    context.out(`  agency run "<goal>" --playbook tiered --team ${file}`)
  }
  return 0
}

const simulated = 'the agent "scripted" is simulated: it calls no model and does no work'

const existsAlready = (file: string): Error => refusal('conflict', `${file} exists already; use --force to replace it`)

type Found = { ok: true } | { ok: false; reason: string; install: string }

async function findAgent({ env, paths }: CliContext): Promise<Found> {
  const { values } = loadConfiguration({ env, home: paths })
  const runtime = createRuntimes(values, env, 'shell').find(({ name }) => name === 'claude-code')
  return runtime === undefined ? { ok: false, reason: 'unknown', install: '' } : runtime.available()
}

type InitOptions = OptionsFor<typeof initCommand>

const choicesOf = ({ agent, provider, model, strict }: InitOptions, found: Found): TeamChoices => ({
  agent: agent ?? (found.ok ? 'claude-code' : 'scripted'),
  planner: provider === undefined || model === undefined ? null : { provider, model },
  strict: strict ?? false,
})

/** Asks for each choice that no option has made. Null: the person has left. */
async function ask(context: CliContext, options: InitOptions, found: Found): Promise<TeamChoices | null> {
  const leave = new AbortController()
  const { stdin, stderr } = process
  const prompter = createPrompter({ input: stdin, output: stderr, onInterrupt: () => leave.abort() })
  const answer = (question: string): Promise<string | null> => prompter.ask(question, leave.signal)
  const choices = choicesOf(options, found)
  if (options.agent === undefined) {
    context.err('Which agent writes and verifies the code?')
    context.err(`  1  claude-code  ${found.ok ? 'installed' : plain(`${found.reason}; ${found.install}`)}`)
    context.err('  2  scripted  simulated: no model is called')
    const number = await answer(`  1 or 2, Enter for ${choices.agent} > `)
    if (number === null) return null
    if (number === '1' || number === 'claude-code') choices.agent = 'claude-code'
    if (number === '2' || number === 'scripted') choices.agent = 'scripted'
  }
  if (options.provider === undefined) {
    context.err('Which provider has the model that plans (a name that docs/models.md or config.yaml lists)?')
    const provider = await answer('  Enter for none: the agent plans too > ')
    if (provider === null) return null
    const model = provider === '' ? '' : await answer(`  Model of ${plain(provider)} > `)
    if (model === null) return null
    if (provider !== '' && model !== '') choices.planner = { provider, model }
  }
  if (options.strict === undefined) {
    const strict = await answer('Do runs wait for you at every gate, not only after plan and design? y/N > ')
    if (strict === null) return null
    choices.strict = /^y(es)?$/i.test(strict)
  }
  return choices
}

export function teamText(file: string, { agent, planner, strict }: TeamChoices): string {
  const choice = planner === null ? null : `{ provider: ${quoted(planner.provider)}, model: ${quoted(planner.model)} }`
  const capabilities = ['reasoning-heavy', 'capable', 'fast-cheap'].map((name) => `  ${name}: ${choice}`)
  return `# A team for runs in tiers:  agency run "<goal>" --playbook tiered --team ${oneLine(file)}
# "agency doctor --team ${oneLine(file)}" checks it and shows the whole team on this machine.

visibility:
  strict_mode: ${strict} # true: runs wait for you at every gate; false: after the plan and the design

runtime:
  coding_agent: ${agent} # writes and verifies the code (T4 and T5)${agent === 'scripted' ? '; simulated' : ''}

${
  choice === null
    ? `# Models that plan (T1 to T3). Without them the coding agent plans too.
# capabilities:
#   reasoning-heavy: { provider: your-provider, model: your-largest-model }
#   capable: { provider: your-provider, model: your-usual-model }`
    : `# Models that plan (T1 to T3); enter a smaller one where it is enough.
capabilities:
${capabilities.join('\n')}`
}

limits:
  max_parallel_agents: 8 # of one run at the same time
`
}

const quoted = (text: string): string => JSON.stringify(text)
const oneLine = (text: string): string => text.replace(/\s+/g, ' ')
