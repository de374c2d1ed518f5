import { Command, type CommanderError } from 'commander'

import { version } from '../entries.ts'
import { declareAgentCommands } from './commands/agents.ts'
import { declareDaemonCommands } from './commands/daemon.ts'
import type { Declaring, Face } from './commands/declaring.ts'
import { declareGateCommands } from './commands/gates.ts'
import { declareMoneyCommands } from './commands/money.ts'
import { declareNoteCommands } from './commands/notes.ts'
import { declareOrgCommands } from './commands/org.ts'
import { declareOutputCommand } from './commands/output.ts'
import { declareTalentCommands } from './commands/talent.ts'
import { declareWorkCommands } from './commands/work.ts'
import { declareWorkspaceCommands } from './commands/workspaces.ts'
import type { CliContext } from './context.ts'

/** Something wrong with the words of the command line themselves. */
export class UsageError extends Error {
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/**
 * The whole command tree. Only names, options and examples live here; what a command does is loaded when it is called,
 * so that a command pays for nothing but itself. With `only`, the others are not even declared, unless it is none of them.
 */
export function buildProgram(context: CliContext, exit: (code: number) => void, only?: string): Command {
  const program = new Command('agency')
    .description('Runs organisations of AI agents: plans, runs, verifies and remembers their work.')
    .version(version, '--version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: false, helpWidth: Math.min(context.columns, 120) })
    .configureOutput({ writeErr: () => {} })
  catchUsage(program)
  program.addHelpText(
    'after',
    '\nEvery command has --help with an example. Exit: 0 done, 1 refused, 2 usage, 3 not found, 4 conflict.',
  )

  const does =
    <Args extends unknown[]>(face: Face<Args>) =>
    async (...args: unknown[]): Promise<void> =>
      exit(await face(context, ...(args as Args)))

  const command = (parent: Command, usage: string, summary: string, ...examples: string[]): Command => {
    const made = catchUsage(parent.command(usage).description(summary).helpOption('-h, --help', 'Show help'))
    if (examples.length > 0) made.addHelpText('after', `\nExample:\n${examples.map((line) => `  ${line}`).join('\n')}`)
    return made
  }

  const offers: { group: string; name: string; declare: () => void }[] = []
  const offer = (group: string, name: string, declare: () => void): void => void offers.push({ group, name, declare })

  const declaring: Declaring = { program, offer, command, does, wholeTree: () => buildProgram(context, exit) }
  declareDaemonCommands(declaring)
  declareWorkCommands(declaring)
  declareOutputCommand(declaring)
  declareWorkspaceCommands(declaring)
  declareGateCommands(declaring)
  declareOrgCommands(declaring)
  declareTalentCommands(declaring)
  declareAgentCommands(declaring)
  declareNoteCommands(declaring)
  declareMoneyCommands(declaring)

  const called = offers.filter(({ name }) => name === only)
  for (const { group, declare } of called.length > 0 ? called : offers) {
    program.commandsGroup(group)
    declare()
  }
  return program
}

/** A wrong word ends as one line and where to read on, not as a page of help. */
function catchUsage(command: Command): Command {
  return command.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0) throw error
    const path: string[] = []
    for (let each: Command | null = command; each !== null; each = each.parent) path.unshift(each.name())
    const hint = `${path.join(' ')} --help`
    if (error.code === 'commander.help') throw new UsageError(`${path.join(' ')}: which of ${names(command)}?`, hint)
    const elsewhere = error.code === 'commander.unknownCommand' ? movedTo(command) : undefined
    if (elsewhere !== undefined)
      throw new UsageError(`unknown command '${command.args[0]}'; use ${elsewhere}`, `${elsewhere} --help`)
    throw new UsageError(oneLine(error.message), hint)
  })
}

const names = (command: Command): string => command.commands.map((each) => each.name()).join(', ')

/** The nouns of an organisation are looked for at the top by everybody once. */
function movedTo(command: Command): string | undefined {
  const noun = command.commands
    .find((each) => each.name() === 'org')
    ?.commands.find((each) => each.commands.length > 0 && each.name() === command.args[0])
  const verb = noun?.commands.find((each) => each.name() === command.args[1])
  return noun && ['agency org', noun.name(), ...(verb ? [verb.name()] : [])].join(' ')
}

const oneLine = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/\s*\n\(Did you mean (.*)\?\)/s, (_, meant: string) => `; did you mean ${meant}?`)
    .trim()
