import { shorten } from '../../../kernel/text.ts'

/**
 * What an operation is called when somebody is asked whether it may be done, and when it is looked up whether it was
 * allowed: exactly this one, and nothing like it.
 */
export function ruleOf(tool: string, input: unknown): string {
  const given = isRecord(input) ? input : {}
  const subject = subjects[tool]
  const value = subject === undefined ? undefined : given[subject]
  if (typeof value === 'string') return `${tool}(${value})`
  return Object.keys(given).length === 0 ? tool : `${tool}(${JSON.stringify(given)})`
}

/** In one line, for people. */
export function summaryOf(tool: string, input: unknown): string {
  const given = isRecord(input) ? input : {}
  const subject = subjects[tool] ?? described.find((name) => typeof given[name] === 'string')
  const text = subject === undefined ? JSON.stringify(given) : String(given[subject] ?? '')
  return shorten(text.replace(/\s+/g, ' ').trim(), 200)
}

const subjects: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Edit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
  WebFetch: 'url',
  WebSearch: 'query',
}

const described = ['summary', 'description', 'query', 'question', 'message', 'path']

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
