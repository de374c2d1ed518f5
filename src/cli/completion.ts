import type { Argument, Command, Option } from 'commander'

import type { completionCommand } from './commands/completion.ts'
import type { Handler } from './declare.ts'

export const printCompletion =
  (wholeTree: () => Command): Handler<typeof completionCommand> =>
  async (context, shell) => {
    context.out(completionScript(wholeTree(), shell))
    return 0
  }

/** Builds the script from the command tree itself, so that new commands and options complete without further work. */
export function completionScript(program: Command, shell: 'bash' | 'zsh' | 'fish'): string {
  const nodes = walk(program, [])
  if (shell === 'fish') return fish(program.name(), nodes)
  return shell === 'bash' ? bash(program.name(), nodes) : zsh(program.name(), nodes)
}

/** A command of the tree, with the words that can follow its path. */
interface CommandNode {
  path: string[]
  commands: { name: string; summary: string }[]
  options: { flags: string[]; takesValue: boolean; choices: readonly string[]; summary: string }[]
  choices: readonly string[]
}

function walk(command: Command, path: string[]): CommandNode[] {
  // Including those that help hides.
  const options: Option[] = [...new Set([...command.createHelp().visibleOptions(command), ...command.options])]
  const node: CommandNode = {
    path,
    commands: command.commands.map((each) => ({ name: each.name(), summary: each.description() })),
    options: options.map((option) => ({
      flags: [option.short, option.long].filter((flag): flag is string => typeof flag === 'string'),
      takesValue: option.required,
      choices: option.argChoices ?? [],
      summary: option.description,
    })),
    choices: command.registeredArguments.flatMap((argument: Argument) => argument.argChoices ?? []),
  }
  return [node, ...command.commands.flatMap((each) => walk(each, [...path, each.name()]))]
}

const flagsOf = (node: CommandNode): string[] => node.options.flatMap(({ flags }) => flags)

/** Writes a `case` arm per command: the words that it offers, and the values of options that take one. */
function bash(name: string, nodes: CommandNode[]): string {
  const arms = nodes.map((node) => {
    const words = [...node.commands.map((each) => each.name), ...node.choices, ...flagsOf(node)]
    return `    ${quoted(node.path.join(' '))}) words=${quoted(words.join(' '))} ;;`
  })
  return `# ${name} completion for bash: source <(${name} completion bash)
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place="" words="" index word
  local known=${quoted(`|${nodes.map((node) => node.path.join(' ')).join('|')}|`)}
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ "$known" == *"|\${place:+$place }$word|"* ]] && place="\${place:+$place }$word"
  done
  case "$place $previous" in
${valueArms(nodes, (value) => `COMPREPLY=($(compgen -W ${quoted(value)} -- "$current")); return`, '    ', 'COMPREPLY=($(compgen -f -- "$current")); return')}
  esac
  case "$place" in
${arms.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _${name} ${name}`
}

function zsh(name: string, nodes: CommandNode[]): string {
  const arms = nodes.map((node) => {
    const described = [
      ...node.commands.map((each) => `${each.name}:${each.summary}`),
      ...node.choices,
      ...node.options.flatMap(({ flags, summary }) => flags.map((flag) => `${flag}:${summary}`)),
    ]
    return `    ${quoted(node.path.join(' '))}) offered=(${described.map((each) => quoted(each)).join(' ')}) ;;`
  })
  return `#compdef ${name}
# ${name} completion for zsh: source <(${name} completion zsh)
_${name}() {
  local place="" index word
  local -a offered
  local known=${quoted(`|${nodes.map((node) => node.path.join(' ')).join('|')}|`)}
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    [[ "$known" == *"|\${place:+$place }$word|"* ]] && place="\${place:+$place }$word"
  done
  case "$place \${words[CURRENT-1]}" in
${valueArms(nodes, (value) => `offered=(${value.split(' ').map(quoted).join(' ')}); _describe ${name} offered; return`, '    ', '_files; return')}
  esac
  case "$place" in
${arms.join('\n')}
  esac
  _describe ${name} offered
}
if [[ "$funcstack[1]" == "_${name}" ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`
}

/** Writes an arm per option that takes a value: its choices, or a file. */
function valueArms(nodes: CommandNode[], choose: (words: string) => string, indent: string, files: string): string {
  return nodes
    .flatMap((node) =>
      node.options
        .filter(({ takesValue }) => takesValue)
        .map(({ flags, choices }) => {
          const patterns = flags.map((flag) => quoted(`${node.path.join(' ')} ${flag}`)).join('|')
          return `${indent}${patterns}) ${choices.length > 0 ? choose(choices.join(' ')) : files} ;;`
        }),
    )
    .join('\n')
}

function fish(name: string, nodes: CommandNode[]): string {
  const lines = [
    `# ${name} completion for fish: ${name} completion fish | source`,
    `function __${name}_at`,
    '  set -l typed (commandline -opc)[2..]',
    '  set -l place',
    '  for word in $typed',
    `    contains -- (string trim "$place $word") ${nodes
      .filter(({ path }) => path.length > 0)
      .map(({ path }) => quoted(path.join(' ')))
      .join(' ')}; and set -a place $word`,
    '  end',
    '  test "$place" = "$argv"',
    'end',
    `complete -c ${name} -f`,
  ]
  for (const node of nodes) {
    const when = `-n ${quoted(`__${name}_at ${node.path.join(' ')}`.trimEnd())}`
    for (const each of node.commands)
      lines.push(`complete -c ${name} ${when} -a ${quoted(each.name)} -d ${quoted(each.summary)}`)
    if (node.choices.length > 0) lines.push(`complete -c ${name} ${when} -a ${quoted(node.choices.join(' '))}`)
    for (const { flags, takesValue, choices, summary } of node.options) {
      const names = flags
        .map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
        .join(' ')
      const value = !takesValue ? '' : choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r -F'
      lines.push(`complete -c ${name} ${when} ${names}${value} -d ${quoted(summary)}`)
    }
  }
  return lines.join('\n')
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
