/** A request to the model, with the fields that a script needs. */
export interface Asked {
  /** The API: Anthropic's messages, OpenAI's responses, or the common chat completions. */
  readonly protocol: 'messages' | 'responses' | 'chat'
  /** The first prompt of the conversation. */
  readonly firstPrompt: string
  /** The last prompt: the text of the newest user message that is not a tool result. */
  readonly prompt: string
  /** The number of answers since that prompt. A repeated request has the same number, so that a retry gets its answer. */
  readonly step: number
  /** The results of its newest tool calls. */
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
  /** In a stream, only the first half of the input is sent. */
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
  /** The answer ends because of the token limit. */
  readonly truncated?: true
  /** The delay before the first byte. */
  readonly firstByteMs?: number
  /** The delay between two pieces. */
  readonly paceMs?: number
  /** Closes the connection after this many pieces. */
  readonly cutAfter?: number
  /** Reports an overload after this many pieces, and ends. */
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
  /** Closes the connection without an answer, or keeps it open without one. */
  | 'refuse'
  | 'hang'

export interface Rule {
  /** The rule always applies if missing. */
  readonly when?: (asked: Asked) => boolean
  /** How often the rule applies; afterwards the next one does. */
  readonly times?: number
  readonly reply: Reply | ((asked: Asked) => Reply)
}

/** Gives one reply after the other since the last prompt; then answers that it is done. */
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

/** Applies the first matching rule; without one it answers that it is done. */
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
