import type { Answer, ToolResult, ToolUse } from './script.ts'

/** The format of one provider's API; the content is the same in all of them. */
export interface Protocol {
  readonly name: 'messages' | 'responses' | 'chat'
  /** Returns the conversation so far, without the system prompt. */
  turns(body: Body): Turn[]
  system(body: Body): string
  toolNames(body: Body): string[]
  whole(answer: Answer, model: string, id: string): object
  /** Returns the same answer in pieces. */
  pieces(answer: Answer, model: string, id: string): Piece[]
  error(error: { readonly type: string; readonly message: string }): object
  /** An error after the answer has begun. */
  failure(error: { readonly type: string; readonly message: string }): Piece
}

export type Body = Readonly<Record<string, unknown>>

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** Tool results, if the turn contains any. */
  readonly results: readonly ToolResult[]
}

/** One event of a stream; an event without a name has none on the wire either. */
export interface Piece {
  readonly event?: string
  readonly data: object | '[DONE]'
}

/** Splits a text into small pieces, as models stream it. */
export const bits = (text: string): string[] => text.match(/[\s\S]{1,16}/g) ?? ['']

export function argumentsOf({ input, half }: ToolUse): string {
  const text = JSON.stringify(input)
  return half === true ? text.slice(0, text.length / 2) : text
}

/** Returns the text of an answer; one that only calls tools needs none. */
export const answerText = ({ text, tools = [] }: Answer): string | null => text ?? (tools.length > 0 ? null : 'Done.')

/** Joins consecutive items of the same role into one turn. */
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
