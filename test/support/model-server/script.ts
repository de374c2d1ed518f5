/** What a model is asked, as far as a script wants to know. */
export interface Asked {
  /** Through which API: Anthropic's messages, OpenAI's responses, or anybody's chat completions. */
  readonly protocol: 'messages' | 'responses' | 'chat'
  /** What it was told first, whatever it has done since. */
  readonly firstPrompt: string
  /** What it was told last: the text of the newest message of the user that answers no tool. */
  readonly prompt: string
  /** How often it has answered since that prompt. The same when a request is repeated, so that a retry gets its answer. */
  readonly step: number
  /** What its newest tools answered. */
  readonly toolResults: readonly ToolResult[]
  readonly system: string
  readonly toolNames: readonly string[]
  readonly model: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

export interface ToolUse {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Where it is streamed, only the first half of it comes. */
  readonly half?: true
}

export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

export interface Answer {
  readonly text?: string
  readonly tools?: readonly ToolUse[]
  readonly tokens?: Tokens
  /** It may not write more than it has. */
  readonly truncated?: true
  /** Nothing at all before this. */
  readonly firstByteMs?: number
  /** Between one piece and the next. */
  readonly paceMs?: number
  /** The connection breaks after so many pieces. */
  readonly cutAfter?: number
  /** After so many pieces it says that it is overloaded, and ends. */
  readonly failAfter?: number
}

export type Reply =
  | Answer
  | {
      readonly status: number
      readonly error: { readonly type: string; readonly message: string }
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly status: number; readonly html: string }
  /** The connection is closed without a word, or held open without one. */
  | 'refuse'
  | 'hang'

export interface Rule {
  /** Without one: always. */
  readonly when?: (asked: Asked) => boolean
  /** How often it holds; afterwards the next rule does. */
  readonly times?: number
  readonly reply: Reply | ((asked: Asked) => Reply)
}

/** One reply after the other since the last prompt; then it says that it is done. */
export const turns = (replies: readonly Reply[], when?: Rule['when']): Rule => ({
  ...(when === undefined ? {} : { when }),
  reply: ({ step }) => replies[step] ?? { text: 'Done.' },
})

export const promptHas =
  (text: string): NonNullable<Rule['when']> =>
  ({ firstPrompt, prompt }) =>
    firstPrompt.includes(text) || prompt.includes(text)

export const rateLimited = (seconds?: number): Reply => ({
  status: 429,
  error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
  ...(seconds === undefined ? {} : { headers: { 'retry-after': String(seconds) } }),
})

export const overloaded: Reply = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }
export const broken: Reply = { status: 500, error: { type: 'api_error', message: 'Internal server error' } }
export const unauthorised: Reply = {
  status: 401,
  error: { type: 'authentication_error', message: 'invalid x-api-key' },
}

/** The first rule that holds; without one it has nothing to say and is done. */
export function createScript(rules: readonly Rule[]): (asked: Asked) => Reply {
  const used = new Map<Rule, number>()
  return (asked) => {
    const rule = rules.find(
      (each) => (used.get(each) ?? 0) < (each.times ?? Number.POSITIVE_INFINITY) && (each.when?.(asked) ?? true),
    )
    if (rule === undefined) return { text: 'Done.' }
    used.set(rule, (used.get(rule) ?? 0) + 1)
    return typeof rule.reply === 'function' ? rule.reply(asked) : rule.reply
  }
}
