import { shorten } from '../../../kernel/text.ts'

/**
 * Returns the name of an operation, used when the operator is asked about it and when it is looked up among the allowed
 * ones: it matches exactly this operation and no similar one.
 */
export function ruleOf(tool: string, input: unknown): string {
  const fields = isRecord(input) ? input : {}
  const subject = subjects[tool]
  const value = subject === undefined ? undefined : fields[subject]
  if (typeof value === 'string') return `${tool}(${value})`
  return Object.keys(fields).length === 0 ? tool : `${tool}(${JSON.stringify(fields)})`
}

/** Returns one line that describes the operation to people. */
export function summaryOf(tool: string, input: unknown): string {
  const fields = isRecord(input) ? input : {}
  const subject = subjects[tool] ?? described.find((name) => typeof fields[name] === 'string')
  const text = subject === undefined ? JSON.stringify(fields) : String(fields[subject] ?? '')
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
