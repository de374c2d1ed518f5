import { type Command, Option } from 'commander'

import { reference, whole, yesNo } from './values.ts'

/** Words that mean the same wherever they stand. */
export const org = (): Option =>
  new Option('--org <org>', 'Its slug or name').argParser(reference).makeOptionMandatory()
export const anyOrg = (summary: string): Option => new Option('--org <org>', summary).argParser(reference)
export const positionId = (): Option =>
  new Option('--position-id <id>', 'The seat').argParser(whole(1)).makeOptionMandatory()
export const personaSlug = (): Option =>
  new Option('--persona-slug <slug>', 'Its slug, or its name').argParser(reference).makeOptionMandatory()
export const slug = (): Option =>
  new Option('--slug <slug>', 'Its slug, or its name').argParser(reference).makeOptionMandatory()
export const file = (): Option => new Option('--file <file>', 'Read it from here instead of standard input')
export const preview = (): Option => new Option('--preview', 'Only say what would change')
export const trueFalse = (flag: string, summary: string): Option =>
  new Option(`${flag} [true|false]`, summary).preset('true').argParser(yesNo)

/** Every path below a group in its own help: the whole tree can be read in one go. */
export function listLeaves(group: Command): Command {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  const below = (command: Command, root: Command): string =>
    command.parent === null || command.parent === root
      ? command.name()
      : `${below(command.parent, root)} ${command.name()}`
  return group.configureHelp({
    ...group.configureHelp(),
    visibleCommands: (command) => command.commands.flatMap(leaves),
    subcommandTerm: (command) => below(command, group),
  })
}
