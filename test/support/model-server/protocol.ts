import type { Answer, ToolResult, ToolUse } from './script.ts'

/** What one maker's API looks like; what is said through it is the same everywhere. */
export interface Protocol {
  readonly name: 'messages' | 'responses' | 'chat'
  /** What was said so far, without the system's own words. */
  turns(body: Body): Turn[]
  system(body: Body): string
  toolNames(body: Body): string[]
  whole(answer: Answer, model: string, id: string): object
  /** The same in pieces. */
  pieces(answer: Answer, model: string, id: string): Piece[]
  error(error: { readonly type: string; readonly message: string }): object
  /** An error that comes when the answer has begun already. */
  failure(error: { readonly type: string; readonly message: string }): Piece
}

export type Body = Readonly<Record<string, unknown>>

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** What tools answered, where the turn carries that. */
  readonly results: readonly ToolResult[]
}

/** One event of a stream; those without a name have none on the wire either. */
export interface Piece {
  readonly event?: string
  readonly data: object | '[DONE]'
}

/** A text as models bring it forth, bit by bit. */
export const bits = (text: string): string[] => text.match(/[\s\S]{1,16}/g) ?? ['']

export function argumentsOf({ input, half }: ToolUse): string {
  const text = JSON.stringify(input)
  return half === true ? text.slice(0, text.length / 2) : text
}

/** What is said where nothing else is; who only calls tools need not say anything. */
export const saidIn = ({ text, tools = [] }: Answer): string | null => text ?? (tools.length > 0 ? null : 'Done.')

/** Several items of one speaker in a row are one turn. */
export function joined(turns: readonly Turn[]): Turn[] {
  const found: Turn[] = []
  for (const turn of turns) {
    const last = found.at(-1)
    if (last === undefined || last.role !== turn.role || isPrompt(turn) || isPrompt(last)) found.push(turn)
    else {
      const text = [last.text, turn.text].filter((each) => each !== '').join('\n')
      found[found.length - 1] = { role: last.role, text, results: [...last.results, ...turn.results] }
    }
  }
  return found
}

export const isPrompt = ({ role, text, results }: Turn): boolean =>
  role === 'user' && results.length === 0 && text.trim() !== ''
