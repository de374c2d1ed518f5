import type { Argument, Command, Option } from 'commander'

/** Made from the command tree itself, so a new command or option completes without anybody thinking of it. */
export function completionScript(program: Command, shell: 'bash' | 'zsh' | 'fish'): string {
  const places = walk(program, [])
  if (shell === 'fish') return fish(program.name(), places)
  return shell === 'bash' ? bash(program.name(), places) : zsh(program.name(), places)
}

/** What can follow after the words of `path`. */
interface Place {
  path: string[]
  commands: { name: string; summary: string }[]
  options: { flags: string[]; takesValue: boolean; choices: readonly string[]; summary: string }[]
  choices: readonly string[]
}

function walk(command: Command, path: string[]): Place[] {
  // Also those that help leaves out.
  const options: Option[] = [...new Set([...command.createHelp().visibleOptions(command), ...command.options])]
  const place: Place = {
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
  return [place, ...command.commands.flatMap((each) => walk(each, [...path, each.name()]))]
}

const flagsOf = (place: Place): string[] => place.options.flatMap(({ flags }) => flags)

/** A `case` arm per place: which words it offers, which options swallow the next word and what that may be. */
function bash(name: string, places: Place[]): string {
  const arms = places.map((place) => {
    const words = [...place.commands.map((each) => each.name), ...place.choices, ...flagsOf(place)]
    return `    ${quoted(place.path.join(' '))}) words=${quoted(words.join(' '))} ;;`
  })
  return `# ${name} completion for bash: source <(${name} completion bash)
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place="" words="" index word
  local known=${quoted(`|${places.map((place) => place.path.join(' ')).join('|')}|`)}
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ "$known" == *"|\${place:+$place }$word|"* ]] && place="\${place:+$place }$word"
  done
  case "$place $previous" in
${valueArms(places, (value) => `COMPREPLY=($(compgen -W ${quoted(value)} -- "$current")); return`, '    ', 'COMPREPLY=($(compgen -f -- "$current")); return')}
  esac
  case "$place" in
${arms.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _${name} ${name}`
}

function zsh(name: string, places: Place[]): string {
  const arms = places.map((place) => {
    const described = [
      ...place.commands.map((each) => `${each.name}:${each.summary}`),
      ...place.choices,
      ...place.options.flatMap(({ flags, summary }) => flags.map((flag) => `${flag}:${summary}`)),
    ]
    return `    ${quoted(place.path.join(' '))}) offered=(${described.map((each) => quoted(each)).join(' ')}) ;;`
  })
  return `#compdef ${name}
# ${name} completion for zsh: source <(${name} completion zsh)
_${name}() {
  local place="" index word
  local -a offered
  local known=${quoted(`|${places.map((place) => place.path.join(' ')).join('|')}|`)}
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    [[ "$known" == *"|\${place:+$place }$word|"* ]] && place="\${place:+$place }$word"
  done
  case "$place \${words[CURRENT-1]}" in
${valueArms(places, (value) => `offered=(${value.split(' ').map(quoted).join(' ')}); _describe ${name} offered; return`, '    ', '_files; return')}
  esac
  case "$place" in
${arms.join('\n')}
  esac
  _describe ${name} offered
}
if [[ "$funcstack[1]" == "_${name}" ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`
}

/** Options that take a value: their choices, or a file. */
function valueArms(places: Place[], choose: (words: string) => string, indent: string, files: string): string {
  return places
    .flatMap((place) =>
      place.options
        .filter(({ takesValue }) => takesValue)
        .map(({ flags, choices }) => {
          const patterns = flags.map((flag) => quoted(`${place.path.join(' ')} ${flag}`)).join('|')
          return `${indent}${patterns}) ${choices.length > 0 ? choose(choices.join(' ')) : files} ;;`
        }),
    )
    .join('\n')
}

function fish(name: string, places: Place[]): string {
  const lines = [
    `# ${name} completion for fish: ${name} completion fish | source`,
    `function __${name}_at`,
    '  set -l typed (commandline -opc)[2..]',
    '  set -l place',
    '  for word in $typed',
    `    contains -- (string trim "$place $word") ${places
      .filter(({ path }) => path.length > 0)
      .map(({ path }) => quoted(path.join(' ')))
      .join(' ')}; and set -a place $word`,
    '  end',
    '  test "$place" = "$argv"',
    'end',
    `complete -c ${name} -f`,
  ]
  for (const place of places) {
    const when = `-n ${quoted(`__${name}_at ${place.path.join(' ')}`.trimEnd())}`
    for (const each of place.commands)
      lines.push(`complete -c ${name} ${when} -a ${quoted(each.name)} -d ${quoted(each.summary)}`)
    if (place.choices.length > 0) lines.push(`complete -c ${name} ${when} -a ${quoted(place.choices.join(' '))}`)
    for (const { flags, takesValue, choices, summary } of place.options) {
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
