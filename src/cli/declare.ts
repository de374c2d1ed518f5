import type { Command } from 'commander'

import type { CliContext } from './context.ts'

/** A command as data: help, completion and parsing are made from it, and the types of its handler are inferred from it. */
export interface CommandSpec<
  Arguments extends readonly ArgumentSpec[] = readonly ArgumentSpec[],
  Options extends readonly OptionSpec[] = readonly OptionSpec[],
> {
  readonly name: string
  readonly summary: string
  readonly examples: readonly string[]
  readonly arguments: Arguments
  readonly options: Options
  /** Returns the usage error of a combination that the single values do not show. */
  readonly check?: (values: never, options: never) => string | undefined
}

export interface ArgumentSpec<Value = unknown> {
  /** `<run>`, or `[run]` where it may be left out. */
  readonly usage: string
  readonly summary: string
  readonly parse?: (text: string) => Value
  readonly choices?: readonly Value[]
  readonly default?: Value
}

export interface OptionSpec<Name extends string = string, Value = unknown, Always extends boolean = boolean> {
  /** `--json`, `--limit <n>`, `--replay [run]`. */
  readonly flags: string
  readonly summary: string
  readonly required?: boolean
  readonly hidden?: boolean
  readonly parse?: (text: string, before: never) => Value
  readonly choices?: readonly Value[]
  readonly default?: Value
  /** The value of an option that was given without one. */
  readonly preset?: string
  readonly conflicts?: string
  /** For inference only; never set. */
  readonly type?: readonly [name: Name, value: Value, always: Always]
}

/** The function behind a command: it gets the arguments in order, then the options, and returns the exit code. */
export type Handler<Spec extends CommandSpec> = (
  context: CliContext,
  ...input: [...ArgumentsOf<Spec['arguments']>, OptionsOf<Spec['options']>]
) => Promise<number>

/** The options of a command as its handler gets them. */
export type OptionsFor<Spec extends CommandSpec> = OptionsOf<Spec['options']>

type ArgumentsOf<Specs extends readonly ArgumentSpec[]> = {
  -readonly [Index in keyof Specs]: Specs[Index] extends ArgumentSpec<infer Value> ? Value : never
}

type OptionsOf<Specs extends readonly OptionSpec[]> = {
  [Spec in Specs[number] as NameIf<Spec, true>]: ValueOf<Spec>
} & { [Spec in Specs[number] as NameIf<Spec, false>]?: ValueOf<Spec> }

type NameIf<Spec, Wanted extends boolean> =
  Spec extends OptionSpec<infer Name, unknown, infer Always> ? (Always extends Wanted ? Name : never) : never
type ValueOf<Spec> = Spec extends OptionSpec<string, infer Value> ? Value : never

export const command = <
  const Arguments extends readonly ArgumentSpec[] = readonly [],
  const Options extends readonly OptionSpec[] = readonly [],
>(spec: {
  name: string
  summary: string
  examples: readonly string[]
  arguments?: Arguments
  options?: Options
  check?: (values: ArgumentsOf<Arguments>, options: OptionsOf<Options>) => string | undefined
}): CommandSpec<Arguments, Options> => ({
  ...spec,
  arguments: spec.arguments ?? ([] as unknown as Arguments),
  options: spec.options ?? ([] as unknown as Options),
})

export const argument = <const Usage extends string, const Settings extends ArgumentSettings = object>(
  usage: Usage,
  summary = '',
  settings?: Settings,
): ArgumentSpec<ArgumentValue<Usage, Settings>> => ({ usage, summary, ...settings }) as never

type ArgumentSettings = Pick<ArgumentSpec, 'parse' | 'choices' | 'default'>
type ArgumentValue<Usage extends string, Settings> =
  | SettingsValue<Settings, string>
  | (Usage extends `[${string}` ? (Settings extends { default: unknown } ? never : undefined) : never)

/** An option without a value; `--no-wait` makes `wait` false and otherwise true. */
export const flag = <const Flags extends `--${string}`>(
  flags: Flags,
  summary: string,
  settings: Pick<OptionSpec, 'hidden'> = {},
): Flags extends `--no-${string}` ? OptionSpec<NameOf<Flags>, boolean, true> : OptionSpec<NameOf<Flags>, true, false> =>
  ({ flags, summary, ...settings }) as never

/** An option with a value, such as `--limit <n>`; `<path...>` takes several. */
export const value = <const Flags extends ValueFlags, const Settings extends ValueSettings = object>(
  flags: Flags,
  summary: string,
  settings?: Settings,
): OptionSpec<NameOf<Flags>, SettingsValue<Settings, TextOf<Flags>>, false> =>
  ({ flags, summary, ...settings }) as never

/** An option with a value that must be given. */
export const required = <const Flags extends ValueFlags, const Settings extends ValueSettings = object>(
  flags: Flags,
  summary: string,
  settings?: Settings,
): OptionSpec<NameOf<Flags>, SettingsValue<Settings, TextOf<Flags>>, true> =>
  ({ flags, summary, required: true, ...settings }) as never

type ValueFlags = `--${string} <${string}>`
type ValueSettings = Pick<OptionSpec, 'parse' | 'choices' | 'default' | 'hidden' | 'conflicts'>

/** The settings are inferred and not the value, which would come out as the `unknown` of the list that it stands in. */
type SettingsValue<Settings, Text> = Settings extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Settings extends { parse: (text: string, before: never) => infer Value }
    ? Value
    : Text

/** An option whose value may be left out, such as `--replay [run]`; it is then true. */
export const optionalValue = <const Flags extends `--${string} [${string}]`>(
  flags: Flags,
  summary: string,
): OptionSpec<NameOf<Flags>, true | string, false> => ({ flags, summary })

type TextOf<Flags extends string> = Flags extends `${string}...>` ? string[] : string

type NameOf<Flags extends string> = Flags extends `--no-${infer Long}`
  ? CamelCase<Long>
  : Flags extends `--${infer Long} ${string}`
    ? CamelCase<Long>
    : Flags extends `--${infer Long}`
      ? CamelCase<Long>
      : never

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text

/** A command with its handler, which is loaded when the command is called, so that a command pays for nothing but itself. */
export interface Registered {
  readonly spec: CommandSpec
  readonly load: (wholeTree: () => Command) => Promise<(context: CliContext, ...input: never[]) => Promise<number>>
}

/** Binds a command to its handler; the compiler checks that the handler takes what the command declares. */
export const register = <Spec extends CommandSpec>(
  spec: Spec,
  load: (wholeTree: () => Command) => Promise<Handler<Spec>>,
): Registered => ({ spec, load }) as unknown as Registered

/** A word with commands below it, such as `agency mission`. */
export interface Noun {
  readonly name: string
  readonly summary: string
  readonly examples?: readonly string[]
  readonly commands?: readonly (Registered | Noun)[]
  /** The command below it that is called if none is named. */
  readonly otherwise?: string
  /** Commands under headings of their own: the help of the noun then lists everything below it. */
  readonly sections?: readonly Section[]
}

export interface Section {
  readonly heading: string
  readonly commands: readonly (Registered | Noun)[]
}
