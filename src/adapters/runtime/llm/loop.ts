import { type Clock, sleep } from '../../../kernel/clock.ts'
import { shorten } from '../../../kernel/text.ts'
import { withoutKnownSecrets } from '../../../secrets/redact.ts'
import type { AgentEnded, Launch, RuntimeEvent } from '../port.ts'
import type { Answer, Message, Model, OfferedTool, ToolCall } from './model.ts'
import type { Provider } from './providers.ts'
import { errorsOf, reportIn, reportTool } from './report.ts'
import type { Tool, ToolAnswer } from './tools/tool.ts'
import { type CallFailure, classifyFailure, StreamInterrupted } from './call-failure.ts'

export interface Conversation {
  readonly launch: Pick<Launch, 'prompt' | 'systemPrompt' | 'kind' | 'output'>
  readonly model: Model
  /** The model's name, as prices know it. */
  readonly modelName: string
  readonly provider: Provider
  readonly tools: readonly Tool[]
  readonly report: OfferedTool
  /** Receives each piece of the model's text. */
  readonly say: (text: string) => void
  /** Ends the line of the last piece, if it has none. */
  readonly endLine: () => void
  /** Receives lines of the runtime about the conversation. */
  readonly remark: (line: string) => void
  readonly push: (event: RuntimeEvent) => void
  /** Reports whether the agent wrote a report into its outbox. */
  readonly hasOutboxReport: () => Promise<boolean>
  readonly signal: AbortSignal
  readonly maxSteps: number
  readonly clock: Clock
  readonly retries: RetryPolicy
}

export interface RetryPolicy {
  /** The delay before each retry of a failed call. */
  readonly backoffMs: readonly number[]
  /** A stream that sends nothing for this long counts as interrupted. */
  readonly silenceMs: number
}

export type Ending = Pick<AgentEnded, 'exitCode' | 'signal' | 'detail' | 'limited'>

/** Runs a model with its tools until it reports or cannot continue. */
export async function converse(conversation: Conversation): Promise<Ending> {
  const { launch, maxSteps } = conversation
  const messages: Message[] = [{ role: 'user', content: launch.prompt }]
  const isRepeating = createRepeatDetector()
  const reportCheck = createReportCheck(conversation)
  for (let step = 0; step < maxSteps; step += 1) {
    const result = await callWithRetries(conversation, messages)
    if ('ending' in result) return result.ending
    const { answer } = result
    messages.push(...answer.messages)
    if (answer.isCut) conversation.remark(cutRemark)
    for (const [index, call] of reportLast(answer.calls).entries()) {
      if (index >= maxCallsOfAnswer && call.name !== reportTool) {
        if (!call.isAnswered) messages.push(resultOf(call, tooManyCalls))
        continue
      }
      if (isRepeating(call))
        return failed(`the agent called ${call.name} with the same input ${maxRepeats} times in a row`)
      const used = await useOrReport(conversation, reportCheck, call)
      if ('ending' in used) return used.ending
      if (!call.isAnswered) messages.push(resultOf(call, used))
    }
    if (answer.calls.length > 0) continue
    if (await conversation.hasOutboxReport()) return ended()
    const checked = await reportCheck.check(await reportIn(answer.text, launch))
    if ('ending' in checked) return checked.ending
    messages.push({ role: 'user', content: checked.complaint })
  }
  return failed(`the agent used all of its steps (${maxSteps})`)
}

const ended = (detail?: string): Ending => ({ exitCode: 0, signal: null, ...(detail === undefined ? {} : { detail }) })
const failed = (detail: string): Ending => ({ exitCode: 1, signal: null, detail })

const cutRemark = 'the answer was cut at the token limit of one call (raise it with --option max_output_tokens=<n>)'

/** A step is one answer of the model, so the calls of an answer are bounded too: steps would bound nothing otherwise. */
const maxCallsOfAnswer = 32

const tooManyCalls: ToolAnswer = {
  text: `error: not run; one answer may call at most ${maxCallsOfAnswer} tools`,
  isError: true,
}

const maxRepeats = 5

/** A model that repeats the same call regardless of the result would continue until its budget is spent. */
function createRepeatDetector(): (call: ToolCall) => boolean {
  let last = ''
  let times = 0
  return ({ name, input }) => {
    const current = `${name} ${JSON.stringify(input)}`
    times = current === last ? times + 1 : 1
    last = current
    return times >= maxRepeats
  }
}

/** Asks once more for a report that is invalid or missing; the second answer is final. */
function createReportCheck({ launch, push, remark }: Conversation) {
  let rejected: string | null = null
  return {
    check: async (report: unknown): Promise<{ ending: Ending } | { complaint: string }> => {
      const errors = report === null ? [] : await errorsOf(report, launch)
      const isValid = report !== null && errors.length === 0
      if (isValid || rejected !== null) {
        if (report !== null) push({ kind: 'report', report })
        return { ending: isValid || report === null ? ended() : invalid(errors, JSON.stringify(report) === rejected) }
      }
      rejected = JSON.stringify(report)
      const problem =
        report === null ? 'the agent ended without a report' : `the report is invalid: ${errors.join('; ')}`
      remark(`${shorten(problem, 300)}; asking once more`)
      return { complaint: report === null ? missing : complaintOf(errors) }
    },
  }
}

const invalid = (errors: readonly string[], isSame: boolean): Ending =>
  ended(
    shorten(
      `${isSame ? 'the agent sent the same invalid report twice' : 'the report is invalid'}: ${errors.join('; ')}`,
      500,
    ),
  )

const missing = `You have ended without a report. Call the tool \`${reportTool}\` now.`

const complaintOf = (errors: readonly string[]): string =>
  `Your report is invalid:\n${errors.map((error) => `- ${error}`).join('\n')}\nCall the tool \`${reportTool}\` again, with the complete report and these errors fixed. There is no third try.`

/** Moves the report to the end: calls after it would never run, because it ends the attempt. */
const reportLast = (calls: readonly ToolCall[]): ToolCall[] => [
  ...calls.filter(({ name }) => name !== reportTool),
  ...calls.filter(({ name }) => name === reportTool),
]

async function useOrReport(
  { tools, push, signal }: Conversation,
  { check }: ReturnType<typeof createReportCheck>,
  { name, input, isAnswered }: ToolCall,
): Promise<ToolAnswer | { ending: Ending }> {
  const tool = tools.find((each) => each.name === name)
  const summary = name === reportTool ? summaryOf(input) : (tool?.summary(input) ?? '')
  push({ kind: 'tool', name, summary: shorten(oneLine(summary), 200) })
  if (name === reportTool) {
    const checked = await check(input)
    return 'ending' in checked ? checked : { text: checked.complaint, isError: true }
  }
  if (tool === undefined || isAnswered) return { text: 'error: unknown tool', isError: true }
  signal.throwIfAborted()
  const answer = await tool.run(input, signal)
  signal.throwIfAborted()
  return answer
}

const resultOf = ({ id, name }: ToolCall, { text, isError = false }: ToolAnswer): Message => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: id,
      toolName: name,
      output: { type: isError ? 'error-text' : 'text', value: withoutKnownSecrets(text) },
    },
  ],
})

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

function summaryOf(input: unknown): string {
  const { status, summary } = (input ?? {}) as { status?: unknown; summary?: unknown }
  return [status, summary].filter((each) => typeof each === 'string').join(': ')
}

/** Retries transient failures; after an interrupted stream the model starts its answer again. */
async function callWithRetries(
  conversation: Conversation,
  messages: readonly Message[],
): Promise<{ answer: Answer } | { ending: Ending }> {
  const { provider, clock, signal, remark } = conversation
  const { backoffMs } = conversation.retries
  for (let tries = 0; ; tries += 1) {
    try {
      return { answer: await callOnce(conversation, messages) }
    } catch (error) {
      signal.throwIfAborted()
      const failure = classifyFailure(error, provider, clock.nowMs())
      const delayMs = backoffMs[tries]
      if (failure.kind !== 'transient' || delayMs === undefined) return { ending: endingOf(failure, provider, tries) }
      remark(`${failure.detail}; retrying (${tries + 1} of ${backoffMs.length})`)
      await Promise.race([sleep(clock, delayMs), aborted(signal)])
    }
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))

function endingOf(failure: CallFailure, { name }: Provider, tries: number): Ending {
  const end = { exitCode: null, signal: null }
  if (failure.kind === 'limited') {
    const { seconds, reason } = failure
    return { ...end, detail: reason, limited: { provider: name, seconds, reason } }
  }
  return { ...end, detail: tries === 0 ? failure.detail : `${failure.detail} (tried ${tries + 1} times)` }
}

async function callOnce(conversation: Conversation, messages: readonly Message[]): Promise<Answer> {
  const { launch, model, tools, report, say, endLine, push, signal, clock, retries, provider, modelName } = conversation
  const silence = new AbortController()
  const startTimer = () => clock.after(retries.silenceMs, () => silence.abort())
  let cancelTimer = startTimer()
  try {
    const answer = await model.call({
      system: launch.systemPrompt ?? '',
      messages,
      tools: [...tools, report],
      signal: AbortSignal.any([signal, silence.signal]),
      onPart: (text) => {
        cancelTimer()
        cancelTimer = startTimer()
        say(text)
      },
    })
    if (answer.usage !== null) push({ kind: 'usage', ...answer.usage, model: modelName, provider: provider.name })
    return answer
  } catch (error) {
    if (silence.signal.aborted && !signal.aborted)
      throw new StreamInterrupted(`sent nothing for ${Math.ceil(retries.silenceMs / 1_000)} seconds`)
    throw error
  } finally {
    cancelTimer()
    // The last text need not end with a newline.
    endLine()
  }
}
