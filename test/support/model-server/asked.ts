import type { Asked, ToolResult } from './script.ts'

interface Message {
  role: string
  content: string | Block[]
}

interface Block {
  type: string
  text?: string
  content?: string | Block[]
  is_error?: boolean
}

export function askedBy(body: Record<string, unknown>): Asked {
  // A message of the system can follow the user's: it is not what was asked.
  const messages = ((body['messages'] ?? []) as Message[]).filter(({ role }) => role !== 'system')
  const prompts = messages.flatMap((message, at) => (isPrompt(message) ? [at] : []))
  const last = prompts.at(-1) ?? -1
  return {
    firstPrompt: said(messages[prompts[0] ?? -1]),
    prompt: said(messages[last]),
    step: messages.slice(last + 1).filter(({ role }) => role === 'assistant').length,
    toolResults: blocksOf(messages.at(-1)).flatMap(toolResult),
    system: textOf(body['system'] as string | Block[] | undefined),
    toolNames: ((body['tools'] ?? []) as { name: string }[]).map(({ name }) => name),
    model: String(body['model'] ?? ''),
    body,
  }
}

const isPrompt = (message: Message): boolean =>
  message.role === 'user' &&
  blocksOf(message).every(({ type }) => type !== 'tool_result') &&
  said(message).trim() !== ''

/** Without what the agent adds on its own account. */
const said = (message: Message | undefined): string =>
  textOf(message?.content).replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')

const blocksOf = (message: Message | undefined): Block[] =>
  message === undefined || typeof message.content === 'string' ? [] : message.content

const toolResult = (block: Block): ToolResult[] =>
  block.type === 'tool_result' ? [{ text: textOf(block.content), isError: block.is_error === true }] : []

const textOf = (content: string | Block[] | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n')
