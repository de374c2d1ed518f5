import { type Clock, sleep } from '../../../kernel/clock.ts'
import { shorten } from '../../../kernel/text.ts'
import { withoutKnownSecrets } from '../../../secrets/redact.ts'
import type { AgentEnded, Launch, RuntimeEvent } from '../port.ts'
import type { Answered, Message, Model, OfferedTool, ToolCall } from './model.ts'
import type { Provider } from './providers.ts'
import { faultsOf, reportIn, reportTool } from './report.ts'
import type { Tool, ToolAnswer } from './tools/tool.ts'
import { BrokenOff, type Trouble, troubleOf } from './call-failure.ts'

export interface Scene {
  readonly launch: Pick<Launch, 'prompt' | 'systemPrompt' | 'kind' | 'output'>
  readonly model: Model
  /** The model's name, as prices know it. */
  readonly modelName: string
  readonly provider: Provider
  readonly tools: readonly Tool[]
  readonly report: OfferedTool
  /** A piece of text as it comes. */
  readonly say: (text: string) => void
  /** A line of ours about what happens. */
  readonly remark: (line: string) => void
  readonly push: (event: RuntimeEvent) => void
  /** It laid a report into its outbox. */
  readonly hasLaidOut: () => Promise<boolean>
  readonly signal: AbortSignal
  readonly maxSteps: number
  readonly clock: Clock
  readonly patience: Patience
}

export interface Patience {
  /** Before each further try of a call that failed. */
  readonly backoffMs: readonly number[]
  /** A stream that says nothing for so long has broken off. */
  readonly silenceMs: number
}

export type Ending = Pick<AgentEnded, 'exitCode' | 'signal' | 'detail' | 'limited'>

/** A model and its tools, until it reports, or does not get any further. */
export async function converse(scene: Scene): Promise<Ending> {
  const { launch, maxSteps } = scene
  const messages: Message[] = [{ role: 'user', content: launch.prompt }]
  const isCircling = createCircleWatch()
  const mending = createMending(scene)
  for (let step = 0; step < maxSteps; step += 1) {
    const asked = await askPatiently(scene, messages)
    if ('ending' in asked) return asked.ending
    const { answer } = asked
    messages.push(...answer.messages)
    if (answer.isCut) scene.remark(cutRemark)
    for (const call of reportLast(answer.calls)) {
      if (isCircling(call))
        return failed(`the agent called ${call.name} with the same input ${maxRepeats} times in a row`)
      const used = await useOrReport(scene, mending, call)
      if ('ending' in used) return used.ending
      if (!call.isAnswered) messages.push(resultOf(call, used))
    }
    if (answer.calls.length > 0) continue
    if (await scene.hasLaidOut()) return ended()
    const judged = await mending.judge(await reportIn(answer.text, launch))
    if ('ending' in judged) return judged.ending
    messages.push({ role: 'user', content: judged.complaint })
  }
  return failed(`the agent used all of its steps (${maxSteps})`)
}

const ended = (detail?: string): Ending => ({ exitCode: 0, signal: null, ...(detail === undefined ? {} : { detail }) })
const failed = (detail: string): Ending => ({ exitCode: 1, signal: null, detail })

const cutRemark = 'the answer was cut at the token limit of one call (raise it with --option max_output_tokens=<n>)'

const maxRepeats = 5

/** Whoever does the same again and again, whatever comes of it, would do so until nothing is left to spend. */
function createCircleWatch(): (call: ToolCall) => boolean {
  let last = ''
  let times = 0
  return ({ name, input }) => {
    const current = `${name} ${JSON.stringify(input)}`
    times = current === last ? times + 1 : 1
    last = current
    return times >= maxRepeats
  }
}

/** A report that does not fit, or is missing, is asked for once more; what comes then stands as it is. */
function createMending({ launch, push, remark }: Scene) {
  let refused: string | null = null
  return {
    judge: async (report: unknown): Promise<{ ending: Ending } | { complaint: string }> => {
      const faults = report === null ? [] : await faultsOf(report, launch)
      const isFine = report !== null && faults.length === 0
      if (isFine || refused !== null) {
        if (report !== null) push({ kind: 'report', report })
        return { ending: isFine || report === null ? ended() : unfit(faults, JSON.stringify(report) === refused) }
      }
      refused = JSON.stringify(report)
      const what = report === null ? 'the agent ended without a report' : `the report is invalid: ${faults.join('; ')}`
      remark(`${shorten(what, 300)}; asking once more`)
      return { complaint: report === null ? missing : complaintOf(faults) }
    },
  }
}

const unfit = (faults: readonly string[], isSame: boolean): Ending =>
  ended(
    shorten(
      `${isSame ? 'the agent sent the same invalid report twice' : 'the report is invalid'}: ${faults.join('; ')}`,
      500,
    ),
  )

const missing = `You have ended without a report. Call the tool \`${reportTool}\` now.`

const complaintOf = (faults: readonly string[]): string =>
  `Your report is invalid:\n${faults.map((fault) => `- ${fault}`).join('\n')}\nCall the tool \`${reportTool}\` again, with the complete report and these errors fixed. There is no third try.`

/** What else it does at the same time is done first: nobody would do it afterwards. */
const reportLast = (calls: readonly ToolCall[]): ToolCall[] => [
  ...calls.filter(({ name }) => name !== reportTool),
  ...calls.filter(({ name }) => name === reportTool),
]

async function useOrReport(
  { tools, push, signal }: Scene,
  { judge }: ReturnType<typeof createMending>,
  { name, input, isAnswered }: ToolCall,
): Promise<ToolAnswer | { ending: Ending }> {
  const tool = tools.find((each) => each.name === name)
  const summary = name === reportTool ? summaryOf(input) : (tool?.summary(input) ?? '')
  push({ kind: 'tool', name, summary: shorten(oneLine(summary), 200) })
  if (name === reportTool) {
    const judged = await judge(input)
    return 'ending' in judged ? judged : { text: judged.complaint, isError: true }
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

/** Asks again where that may help; a model that broke off begins its answer anew. */
async function askPatiently(
  scene: Scene,
  messages: readonly Message[],
): Promise<{ answer: Answered } | { ending: Ending }> {
  const { provider, clock, signal, remark } = scene
  const { backoffMs } = scene.patience
  for (let tries = 0; ; tries += 1) {
    try {
      return { answer: await askOnce(scene, messages) }
    } catch (error) {
      signal.throwIfAborted()
      const trouble = troubleOf(error, provider, clock.nowMs())
      const delayMs = backoffMs[tries]
      if (trouble.kind !== 'passing' || delayMs === undefined) return { ending: endingOf(trouble, provider, tries) }
      remark(`${trouble.detail}; retrying (${tries + 1} of ${backoffMs.length})`)
      await Promise.race([sleep(clock, delayMs), aborted(signal)])
    }
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))

function endingOf(trouble: Trouble, { name }: Provider, tries: number): Ending {
  const end = { exitCode: null, signal: null }
  if (trouble.kind === 'limited') {
    const { seconds, reason } = trouble
    return { ...end, detail: reason, limited: { provider: name, seconds, reason } }
  }
  return { ...end, detail: tries === 0 ? trouble.detail : `${trouble.detail} (tried ${tries + 1} times)` }
}

async function askOnce(scene: Scene, messages: readonly Message[]): Promise<Answered> {
  const { launch, model, tools, report, say, push, signal, clock, patience, provider, modelName } = scene
  const quiet = new AbortController()
  const listen = () => clock.after(patience.silenceMs, () => quiet.abort())
  let deaf = listen()
  try {
    const answer = await model.ask({
      system: launch.systemPrompt ?? '',
      messages,
      tools: [...tools, report],
      signal: AbortSignal.any([signal, quiet.signal]),
      heard: (text) => {
        deaf()
        deaf = listen()
        say(text)
      },
    })
    if (answer.usage !== null) push({ kind: 'usage', ...answer.usage, model: modelName, provider: provider.name })
    return answer
  } catch (error) {
    if (quiet.signal.aborted && !signal.aborted)
      throw new BrokenOff(`sent nothing for ${Math.ceil(patience.silenceMs / 1_000)} seconds`)
    throw error
  } finally {
    deaf()
    // What it said last need not end with a line.
    say('\n')
  }
}
