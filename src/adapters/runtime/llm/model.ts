import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, type LanguageModel, type ModelMessage, streamText, type TextStreamPart, type ToolSet } from 'ai'

import type { JsonSchema } from '../../../operations/wire-schema.ts'
import type { ModelUsage } from '../port.ts'
import { fetchResponse } from './fetch-response.ts'
import type { LlmOptions } from './options.ts'
import type { Provider } from './providers.ts'
import { StreamInterrupted } from './call-failure.ts'

/**
 * The only file that imports the library: it is loaded with the first agent, because loading takes a quarter of a second
 * that a daemon without such agents need not spend.
 */
export function createModel(provider: Provider, options: LlmOptions): Model {
  const model = modelOf(provider, options.model)
  return {
    call: async ({ system, messages, tools, signal, onPart }) => {
      const stream = streamText({
        model,
        ...(system === '' ? {} : { instructions: { role: 'system', content: system, ...cached } }),
        messages: [...messages.slice(0, -1), ...messages.slice(-1).map((message) => ({ ...message, ...cached }))],
        tools: toolSet(tools),
        // The loop retries: it reports each retry and respects limits.
        maxRetries: 0,
        abortSignal: signal,
        ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
        ...(options.effort === undefined ? {} : { reasoning: options.effort }),
        // The provider must not store the conversation.
        providerOptions: { openai: { store: false } },
        telemetry: { isEnabled: false },
        // Errors arrive through the stream; without this they are printed too.
        onError: () => {},
      })
      const answer = await readStream(stream.stream, onPart)
      signal.throwIfAborted()
      return { ...answer, messages: await stream.responseMessages }
    },
  }
}

export interface Model {
  call(request: ModelRequest): Promise<Answer>
}

export type Message = ModelMessage

export interface ModelRequest {
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly OfferedTool[]
  readonly signal: AbortSignal
  /** Called for each part of the stream, with its text or an empty string. */
  readonly onPart: (text: string) => void
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
  /** The call names no tool, or is invalid JSON: the library has already answered it with an error. */
  readonly isAnswered: boolean
}

export interface Answer {
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** The messages to append to the conversation. */
  readonly messages: readonly Message[]
  /** Null if the provider does not report it. */
  readonly usage: Omit<ModelUsage, 'kind' | 'model' | 'provider'> | null
  /** The answer reached the token limit. */
  readonly isCut: boolean
}

// The library would print warnings to the daemon's output.
globalThis.AI_SDK_LOG_WARNINGS = false

/** The conversation up to this message is the same at every step: caching avoids paying for it in full again. */
const cached = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } as const

function modelOf({ name, kind, baseUrl, key }: Provider, model: string): LanguageModel {
  const common = { baseURL: baseUrl, fetch: fetchResponse }
  // Without an explicit key the library would read one from the environment.
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
  onPart: (text: string) => void,
): Promise<Omit<Answer, 'messages'>> {
  let text = ''
  let usage: Answer['usage'] = null
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
      // A stream without a finish reason did not reach its end.
      finish = part.finishReason === 'other' && part.rawFinishReason === undefined ? null : part.finishReason
    }
    onPart(part.type === 'text-delta' ? part.text : part.type === 'text-end' ? '\n' : '')
  }
  if (finish === null) throw new StreamInterrupted('ended the stream in the middle of its answer')
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

function usageOf({ inputTokens, outputTokens, inputTokenDetails }: Tokens): Answer['usage'] {
  if (inputTokens === undefined && outputTokens === undefined) return null
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
  }
}
