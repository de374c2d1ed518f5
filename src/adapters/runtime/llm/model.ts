import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, type LanguageModel, type ModelMessage, streamText, type TextStreamPart, type ToolSet } from 'ai'

import type { JsonSchema } from '../../../operations/wire-schema.ts'
import type { ModelUsage } from '../port.ts'
import { fetchAnswer } from './fetch-response.ts'
import type { LlmOptions } from './options.ts'
import type { Provider } from './providers.ts'
import { BrokenOff } from './call-failure.ts'

/**
 * The one file that knows the library: it is loaded with the first agent and not before, because it takes a quarter of
 * a second that a daemon without such agents need not spend.
 */
export function createModel(provider: Provider, options: LlmOptions): Model {
  const model = modelOf(provider, options.model)
  return {
    ask: async ({ system, messages, tools, signal, heard }) => {
      const stream = streamText({
        model,
        ...(system === '' ? {} : { instructions: { role: 'system', content: system, ...cached } }),
        messages: [...messages.slice(0, -1), ...messages.slice(-1).map((message) => ({ ...message, ...cached }))],
        tools: toolSet(tools),
        // Asked again by us, who know whom that keeps waiting.
        maxRetries: 0,
        abortSignal: signal,
        ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
        ...(options.effort === undefined ? {} : { reasoning: options.effort }),
        // Nothing of a conversation is left with its provider for later.
        providerOptions: { openai: { store: false } },
        telemetry: { isEnabled: false },
        // What went wrong comes through the stream; without this it is printed as well.
        onError: () => {},
      })
      const answer = await readStream(stream.stream, heard)
      signal.throwIfAborted()
      return { ...answer, messages: await stream.responseMessages }
    },
  }
}

export interface Model {
  ask(question: Question): Promise<Answered>
}

export type Message = ModelMessage

export interface Question {
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly OfferedTool[]
  readonly signal: AbortSignal
  /** Something came, a piece of what it says or nothing to be shown. */
  readonly heard: (text: string) => void
}

export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** It names no tool, or is no JSON: the library has told it so. */
  readonly isAnswered: boolean
}

export interface Answered {
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** To go on with. */
  readonly messages: readonly Message[]
  /** Null: the provider does not say. */
  readonly usage: Omit<ModelUsage, 'kind' | 'model' | 'provider'> | null
  /** It was not allowed to write more. */
  readonly isCut: boolean
}

// It would print them into whatever the daemon prints to.
globalThis.AI_SDK_LOG_WARNINGS = false

/** What was said up to here is the same at every step: it need not be paid for in full again. */
const cached = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } as const

function modelOf({ name, kind, baseUrl, key }: Provider, model: string): LanguageModel {
  const common = { baseURL: baseUrl, fetch: fetchAnswer }
  // Without a key of ours the library would look for one in the environment by itself.
  if (kind === 'anthropic') return createAnthropic({ ...common, apiKey: key ?? 'none' })(model)
  if (kind === 'openai') return createOpenAI({ ...common, apiKey: key ?? 'none' }).responses(model)
  return createOpenAICompatible({ ...common, name, includeUsage: true, ...(key === null ? {} : { apiKey: key }) })(
    model,
  )
}

const toolSet = (tools: readonly OfferedTool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, schema }) => [name, { description, inputSchema: jsonSchema(schema) }]),
  )

async function readStream(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  heard: (text: string) => void,
): Promise<Omit<Answered, 'messages'>> {
  let text = ''
  let usage: Answered['usage'] = null
  let finish: string | null = null
  const calls: ToolCall[] = []
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'tool-call') {
      const isAnswered = 'invalid' in part && part.invalid === true
      calls.push({ id: part.toolCallId, name: part.toolName, input: part.input, isAnswered })
    }
    if (part.type === 'finish-step') {
      usage = usageOf(part.usage)
      // Who does not say why it ended did not come to its end.
      finish = part.finishReason === 'other' && part.rawFinishReason === undefined ? null : part.finishReason
    }
    heard(part.type === 'text-delta' ? part.text : part.type === 'text-end' ? '\n' : '')
  }
  if (finish === null) throw new BrokenOff('ended the stream in the middle of its answer')
  return { text, calls, usage, isCut: finish === 'length' }
}

interface Tokens {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly inputTokenDetails: {
    readonly cacheReadTokens: number | undefined
    readonly cacheWriteTokens: number | undefined
  }
}

function usageOf({ inputTokens, outputTokens, inputTokenDetails }: Tokens): Answered['usage'] {
  if (inputTokens === undefined && outputTokens === undefined) return null
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
  }
}
