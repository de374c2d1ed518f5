import { Argument, Command, type CommanderError, Option } from 'commander'

import { version } from '../entries.ts'
import { commandTree } from './commands/tree.ts'
import type { CliContext } from './context.ts'
import type { ArgumentSpec, Noun, OptionSpec, Registered } from './declare.ts'
import { wrap } from './wrap.ts'

/** An error in the words of the command line themselves. */
export class UsageError extends Error {
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/**
 * Builds the commander program from the command tree. With `only`, the other top-level commands are not even declared,
 * unless no command has that name.
 */
export function buildProgram(context: CliContext, exit: (code: number) => void, only?: string): Command {
  const program = new Command('agency')
    .description('Run organisations of AI agents: plan, run, verify and remember their work.')
    .version(version, '--version', 'Print the version')
    // Commands may have an option --version of their own.
    .enablePositionalOptions()
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: false, helpWidth: Math.min(context.columns, 120) })
    .configureOutput({
      writeErr: () => {},
      writeOut: (text) => void process.stdout.write(wrap(text, context.columns)),
    })
  catchUsage(program)
  program.addHelpText(
    'after',
    '\nEvery command has --help with an example. Exit: 0 done, 1 refused, 2 usage, 3 not found, 4 conflict.',
  )
  const declaring: Declaring = { context, exit, wholeTree: () => buildProgram(context, exit) }
  const called = commandTree.flatMap(({ commands }) => commands.filter((each) => nameOf(each) === only))
  for (const { heading, commands } of commandTree) {
    const declared = called.length > 0 ? commands.filter((each) => called.includes(each)) : commands
    if (declared.length > 0) program.commandsGroup(heading)
    for (const each of declared) declare(declaring, program, each)
  }
  return program
}

interface Declaring {
  context: CliContext
  exit(code: number): void
  /** Every command, also where only one was declared. */
  wholeTree(): Command
}

const nameOf = (each: Registered | Noun): string => ('spec' in each ? each.spec.name : each.name)

function declare(declaring: Declaring, parent: Command, each: Registered | Noun, heading?: string): void {
  if ('spec' in each) return declareCommand(declaring, parent, each)
  const made = addCommand(parent, each)
  if (heading !== undefined) made.commandsGroup(heading)
  for (const child of each.commands ?? [])
    if ('spec' in child) declareCommand(declaring, made, child, child.spec.name === each.otherwise)
    else declare(declaring, made, child, heading)
  if (each.sections === undefined) return
  listLeaves(made)
  for (const section of each.sections) {
    made.commandsGroup(section.heading)
    for (const child of section.commands) declare(declaring, made, child, section.heading)
  }
}

function declareCommand(
  { context, exit, wholeTree }: Declaring,
  parent: Command,
  { spec, load }: Registered,
  isDefault = false,
): void {
  const made = addCommand(parent, spec, isDefault)
  for (const each of spec.arguments) made.addArgument(argumentOf(each))
  for (const each of spec.options) made.addOption(optionOf(each))
  const check = spec.check as ((values: unknown, options: unknown) => string | undefined) | undefined
  if (check !== undefined)
    made.hook('preAction', () => {
      const message = check(made.processedArgs, withNulls(made.opts()))
      if (message !== undefined) made.error(message)
    })
  made.action(async (...input: unknown[]) => {
    const handler = (await load(wholeTree)) as (context: CliContext, ...rest: unknown[]) => Promise<number>
    // The last one is commander's own command object, after the options.
    const [options, values] = [input.at(-2) as Record<string, unknown>, input.slice(0, -2)]
    exit(await handler(context, ...values, withNulls(options)))
  })
}

function addCommand(
  parent: Command,
  { name, summary, examples = [] }: Omit<Noun, 'commands'>,
  isDefault = false,
): Command {
  const made = catchUsage(
    parent.command(name, { isDefault }).description(summary).helpOption('-h, --help', 'Show help'),
  )
  if (examples.length > 0) made.addHelpText('after', `\nExample:\n${examples.map((line) => `  ${line}`).join('\n')}`)
  return made
}

function argumentOf({ usage, summary, parse, choices, default: fallback }: ArgumentSpec): Argument {
  const made = new Argument(usage, summary)
  if (parse !== undefined) made.argParser(parse)
  if (choices !== undefined) made.choices(choices as readonly string[])
  return fallback === undefined ? made : made.default(fallback)
}

function optionOf(spec: OptionSpec): Option {
  const made = new Option(spec.flags, spec.summary)
  const parse = spec.parse as ((text: string, before: unknown) => unknown) | undefined
  if (parse !== undefined) made.argParser((text, before) => parse(text, before) ?? nothing)
  if (spec.choices !== undefined) made.choices(spec.choices as readonly string[])
  if (spec.default !== undefined) made.default(spec.default)
  if (spec.preset !== undefined) made.preset(spec.preset)
  if (spec.conflicts !== undefined) made.conflicts(spec.conflicts)
  return made.makeOptionMandatory(spec.required === true).hideHelp(spec.hidden === true)
}

/** Stands for null, which commander takes for an option without a value, and replaces with an empty text. */
const nothing = Symbol('null')

const withNulls = (options: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value === nothing ? null : value]))

/** Lists every path below a group in the help of the group, so that the whole tree can be read at once. */
function listLeaves(group: Command): void {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  const below = (command: Command, root: Command): string =>
    command.parent === null || command.parent === root
      ? command.name()
      : `${below(command.parent, root)} ${command.name()}`
  group.configureHelp({
    ...group.configureHelp(),
    visibleCommands: (command) => command.commands.flatMap(leaves),
    subcommandTerm: (command) => below(command, group),
  })
}

/** Turns a wrong word into one line and the command that explains it, instead of a page of help. */
function catchUsage(command: Command): Command {
  return command.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0) throw error
    const path: string[] = []
    for (let each: Command | null = command; each !== null; each = each.parent) path.unshift(each.name())
    const hint = `${path.join(' ')} --help`
    if (error.code === 'commander.help')
      throw new UsageError(`${path.join(' ')} needs a command; available: ${names(command)}`, hint)
    const elsewhere = error.code === 'commander.unknownCommand' ? movedTo(command) : undefined
    if (elsewhere !== undefined)
      throw new UsageError(`unknown command '${command.args[0]}'; use ${elsewhere}`, `${elsewhere} --help`)
    throw new UsageError(oneLine(error.message), hint)
  })
}

const names = (command: Command): string => command.commands.map((each) => each.name()).join(', ')

/** Finds the noun of an organisation that was typed at the top, where everybody looks for it once. */
function movedTo(command: Command): string | undefined {
  const noun = command.commands
    .find((each) => each.name() === 'org')
    ?.commands.find((each) => each.commands.length > 0 && each.name() === command.args[0])
  const verb = noun?.commands.find((each) => each.name() === command.args[1])
  return noun && ['agency', 'org', noun.name(), ...(verb ? [verb.name()] : [])].join(' ')
}

const oneLine = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/\s*\n\(Did you mean (.*)\?\)/s, (_, meant: string) => `; did you mean ${meant}?`)
    .trim()
