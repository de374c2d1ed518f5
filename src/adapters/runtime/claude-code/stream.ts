import { shorten } from '../../../kernel/text.ts'
import type { AgentEnded, Denied, RuntimeEvent } from '../port.ts'
import { limitedBy } from './limit.ts'
import { reportIn } from './report.ts'
import { isRecord, ruleOf, summaryOf } from './rule.ts'
import { createUsage } from './usage.ts'

export interface StreamOptions {
  readonly nowMs: () => number
  /** Removes secrets from a text. */
  readonly hide: (text: string) => string
}

type JsonObject = Record<string, unknown>

/** Converts the output of Claude Code with `--output-format stream-json`, one object per line, into agent events. */
export function createStream({ nowMs, hide }: StreamOptions) {
  const usage = createUsage()
  const denied = new Map<string, Denied>()
  let report: JsonObject | null = null
  let failure: { text: string; status: number | null } | null = null
  let resetsAt: number | null = null
  let lastDelayMs: number | null = null
  let hasReported = false

  const text = (line: string): RuntimeEvent[] => (line.trim() === '' ? [] : [{ kind: 'text', text: hide(line) }])

  const readAssistant = (line: JsonObject): RuntimeEvent[] => {
    const message = isRecord(line['message']) ? line['message'] : {}
    const isOwn = line['parent_tool_use_id'] === null || line['parent_tool_use_id'] === undefined
    const events: RuntimeEvent[] = usage.seen(conversationOf(line), message)
    for (const block of recordsOf(message['content'])) {
      // A subagent's text is addressed to the agent and not shown; its tool calls act on this workspace and are shown.
      if (block['type'] === 'text' && isOwn) events.push(...text(String(block['text'])))
      if (block['type'] !== 'tool_use') continue
      const name = String(block['name'])
      hasReported ||= isReport(name, block['input'])
      events.push({ kind: 'tool', name, summary: hide(summaryOf(name, block['input'])) })
    }
    return events
  }

  const readPiece = (line: JsonObject): RuntimeEvent[] => {
    const event = isRecord(line['event']) ? line['event'] : {}
    if (event['type'] === 'message_start' && isRecord(event['message']))
      return usage.seen(conversationOf(line), event['message'])
    return event['type'] === 'message_delta' ? usage.finished(conversationOf(line), event['usage']) : []
  }

  const readSystem = (line: JsonObject): RuntimeEvent[] => {
    if (line['subtype'] === 'permission_denied') return text(`not allowed: ${String(line['message'])}`)
    if (line['subtype'] !== 'api_retry') return []
    const { attempt, max_retries: most, retry_delay_ms: delay, error_status: status, error } = line
    lastDelayMs = typeof delay === 'number' ? delay : null
    const why = [status, error].filter((each) => each !== null && each !== undefined && each !== 'unknown').join(' ')
    const when = lastDelayMs === null ? '' : ` in ${Math.ceil(lastDelayMs / 1_000)} s`
    return text(`a model call failed${why === '' ? '' : ` (${why})`}; retrying${when} (${attempt} of ${most})`)
  }

  const readResult = (line: JsonObject): RuntimeEvent[] => {
    const answer = typeof line['result'] === 'string' ? line['result'] : ''
    const isError = line['is_error'] === true
    // The last of several results counts: subagents in the background make the agent answer again.
    failure = isError ? { text: failureText(line, answer), status: numberOr(line['api_error_status'], null) } : null
    if (!isError) report = reportIn(answer) ?? report
    for (const { tool_name: tool, tool_input: input } of recordsOf(line['permission_denials'])) {
      const rule = ruleOf(String(tool), input)
      denied.set(rule, { rule, what: hide(`${String(tool)}: ${summaryOf(String(tool), input)}`) })
    }
    return usage.result(line['model_usage_since_last_result'])
  }

  const readRateLimit = (line: JsonObject): RuntimeEvent[] => {
    const info = isRecord(line['rate_limit_info']) ? line['rate_limit_info'] : {}
    if (info['status'] === 'rejected') resetsAt = numberOr(info['resetsAt'], null)
    return []
  }

  const readers: Readonly<Record<string, (line: JsonObject) => RuntimeEvent[]>> = {
    assistant: readAssistant,
    stream_event: readPiece,
    system: readSystem,
    result: readResult,
    rate_limit_event: readRateLimit,
  }

  return {
    /** Returns null if the line is not an object of the stream. Unknown types produce no events. */
    readLine: (line: string): RuntimeEvent[] | null => {
      const object = objectIn(line)
      if (object === null || typeof object['type'] !== 'string') return null
      // Every object of the stream has one of these; an object without both was printed by another program.
      if (typeof object['session_id'] !== 'string' && typeof object['uuid'] !== 'string') return null
      return readers[object['type']]?.(object) ?? []
    },
    /** Returns the events left at the end. The engine prefers a report that was made with the token. */
    rest: (): RuntimeEvent[] => [...usage.rest(), ...(report === null ? [] : [{ kind: 'report' as const, report }])],
    /** Reports whether the agent itself has called for a report. */
    hasReported: (): boolean => hasReported || report !== null,
    end: (): Pick<AgentEnded, 'detail' | 'limited' | 'denied'> => {
      const error = failure === null ? null : { ...failure, text: hide(failure.text), resetsAt, lastDelayMs }
      const limited = error === null ? null : limitedBy(error, nowMs())
      return {
        ...(error === null ? {} : { detail: shorten(error.text.replace(/\s+/g, ' ').trim(), 500) }),
        ...(limited === null ? {} : { limited }),
        ...(denied.size === 0 ? {} : { denied: [...denied.values()] }),
      }
    },
  }
}

const isReport = (name: string, input: unknown): boolean =>
  name === 'mcp__agency__report' ||
  (name === 'Bash' && isRecord(input) && /\bagency\s+report\b/.test(String(input['command'])))

const conversationOf = (line: JsonObject): string =>
  typeof line['parent_tool_use_id'] === 'string' ? line['parent_tool_use_id'] : ''

function failureText(line: JsonObject, answer: string): string {
  if (line['subtype'] === 'error_max_turns') return `the agent used all of its turns (${String(line['num_turns'])})`
  const errors = Array.isArray(line['errors']) ? line['errors'].map(String).join('; ') : ''
  return answer || errors || String(line['subtype'] ?? 'the agent failed')
}

const recordsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const numberOr = <Other>(value: unknown, other: Other): number | Other => (typeof value === 'number' ? value : other)

function objectIn(line: string): JsonObject | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
