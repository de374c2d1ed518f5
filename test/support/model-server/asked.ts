import { type Body, isPrompt, type Protocol, type Turn } from './protocol.ts'
import type { Asked } from './script.ts'

export function askedBy(protocol: Protocol, body: Body): Asked {
  const turns = protocol.turns(body)
  const prompts = turns.flatMap((turn, at) => (isPrompt(turn) ? [at] : []))
  const last = prompts.at(-1) ?? -1
  return {
    protocol: protocol.name,
    firstPrompt: textOf(turns[prompts[0] ?? -1]),
    prompt: textOf(turns[last]),
    step: turns.slice(last + 1).filter(({ role }) => role === 'assistant').length,
    toolResults: turns.at(-1)?.results ?? [],
    system: protocol.system(body),
    toolNames: protocol.toolNames(body),
    model: String(body['model'] ?? ''),
    body,
  }
}

const textOf = (turn: Turn | undefined): string => turn?.text ?? ''
