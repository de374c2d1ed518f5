import type { Client } from '../../client/client.ts'
import type { briefCommand } from '../../cli/commands/brief.ts'
import type { logCommand } from '../../cli/commands/log.ts'
import type { outputCommand } from '../../cli/commands/output.ts'
import type { reportCommand } from '../../cli/commands/report.ts'
import type { whoamiCommand } from '../../cli/commands/whoami.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler, OptionsFor } from '../../cli/declare.ts'
import { readInput } from '../../cli/input.ts'
import type { Wire } from '../../cli/wire.ts'
import { pause } from '../../kernel/clock.ts'
import { daemonEndpoints } from '../../daemon/endpoints.ts'
import { eventEndpoints } from '../../events/endpoints.ts'
import { refusal } from '../../kernel/errors.ts'
import { oneLine, withColours, withoutColours } from '../../kernel/text.ts'
import { visible } from '../../cli/terminal.ts'
import { quoteLines } from '../../kernel/quotation.ts'
import type { Correction } from '../briefs/contract.ts'
import type { Evidence } from '../evidence/contract.ts'
import { namedOrNewest } from '../runs/cli/newest.ts'
import { runEndpoints } from '../runs/endpoints.ts'
import type { Attempt, InputSeen } from './contract.ts'
import { isAgentAtWork } from '../../kernel/attempt-state.ts'
import { attemptEndpoints } from './endpoints.ts'

interface AttemptBrief {
  brief_id: string
  run_id: string
  attempt_id: string
  attempt: number
  objective: string
  context: string
  evidence: Wire<Evidence>[]
  corrections: Wire<Correction>[]
  inputs_seen?: Wire<InputSeen>[]
}

/** Prints the brief: everything that the agent needs to start, and nothing else. */
export const showBrief: Handler<typeof briefCommand> = async (context, options) => {
  const brief = await agentApi(context).call<AttemptBrief>(attemptEndpoints.brief)
  if (options.json) {
    context.json(brief)
    return 0
  }
  context.out(`# ${brief.brief_id}, attempt ${brief.attempt}`)
  context.out(brief.objective)
  if (brief.context !== '') context.out(`\n## Context\n${brief.context}`)
  const { inputs_seen: handed = [] } = brief
  if (handed.length > 0) context.out('\n## Files of other briefs')
  for (const { key, path } of handed) context.out(`- ${oneLine(`.agency/inputs/${key}/${path}`)}`)
  context.out('\n## Checked at the end')
  for (const item of brief.evidence) context.out(`- ${JSON.stringify(item)}`)
  if (brief.corrections.length === 0) return 0
  context.out('\n## Failed last time')
  for (const { evidence, detail, output = '' } of brief.corrections) {
    context.out(`- ${evidence}: ${detail}`)
    for (const line of quoteLines(output)) context.out(`  ${line}`)
  }
  return 0
}

export const writeLog: Handler<typeof logCommand> = async (context, message, { verbose }) => {
  await agentApi(context).call(eventEndpoints.log, { kind: 'log', message, level: verbose ? 'verbose' : 'normal' })
  return 0
}

/** Sends the report of the agent that calls it. */
export async function sendReport(context: CliContext, options: OptionsFor<typeof reportCommand>): Promise<number> {
  const report = options.file === undefined ? reportOf(options) : await readReport(options.file)
  const { note } = await agentApi(context).call<{ note: string }>(attemptEndpoints.report, report)
  context.out(note)
  return 0
}

type ReportOptions = OptionsFor<typeof reportCommand>

const reportOf = ({
  status,
  summary,
  output,
  remaining,
  verdict,
  ...more
}: ReportOptions): Record<string, unknown> => ({
  status: status ?? 'done',
  summary: summary ?? `Verdict: ${verdict}`,
  outputs: output,
  remaining,
  ...(verdict === undefined
    ? {}
    : {
        verdict: {
          verdict,
          checked: more.checked?.map(checkedOf),
          missing_evidence: more.missing,
          issues: more.issue,
          notes: more.notes,
        },
      }),
})

/** Reads `path=quote`, `path:12=quote` or `path=<sha256>`; anything else is a text. */
function checkedOf(item: string): Record<string, unknown> {
  const at = item.indexOf('=')
  if (at <= 0) return { what: item }
  const [, path, line] = /^(.*?)(?::(\d+))?$/.exec(item.slice(0, at)) ?? []
  const proof = item.slice(at + 1)
  return {
    path,
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(/^[0-9a-f]{64}$/i.test(proof) ? { sha256: proof } : { quote: proof }),
  }
}

async function readReport(file: string): Promise<Record<string, unknown>> {
  const text = await readInput(file, 'report')
  try {
    const report: unknown = JSON.parse(text)
    if (typeof report === 'object' && report !== null && !Array.isArray(report))
      return report as Record<string, unknown>
  } catch (error) {
    throw refusal('invalid_input', `the report is not JSON: ${(error as Error).message}`)
  }
  throw refusal('invalid_input', 'the report is not a JSON object')
}

interface Output {
  attempt_id: string
  text: string
  next: number
  ended: boolean
}

const followMs = 500

/** Prints the output of an attempt; of a run, that of its running attempt or of the last one. */
export const showOutput: Handler<typeof outputCommand> = async (context, id, options) => {
  const client = context.api()
  const attemptId = id?.startsWith('att_') ? id : await attemptOf(context, await namedOrNewest(context, id))
  for (let after = 0; ;) {
    const part = await client.call<Output>(attemptEndpoints.output, { attempt_id: attemptId, after })
    if (options.json) context.jsonLine(part)
    else if (part.text !== '') printOutput(context, part.text)
    if (part.ended || (part.next === after && !options.follow)) return 0
    if (part.next === after) await pause(followMs)
    after = part.next
  }
}

/** Prints colours where the terminal shows them, and nowhere else; each line ends without one. */
function printOutput(context: CliContext, text: string): void {
  if (context.colour) process.stdout.write(withColours(text, visible))
  else context.text(withoutColours(text))
}

async function attemptOf(context: CliContext, run: string): Promise<string> {
  const { attempts } = await context
    .api()
    .call<{ attempts: Wire<Attempt>[] }>(runEndpoints.inspect, { run_id: run, events: 0 })
  const live = attempts.filter(isAgentAtWork)
  const chosen = live.at(-1) ?? attempts.at(-1)
  if (chosen === undefined)
    throw refusal('not_found', `run "${run}" has no attempt yet`, {
      hint: 'Its first attempt starts when a slot is free.',
    })
  if (live.length > 1) context.err(`agency: ${chosen.id}, one of ${live.length} at work (agency inspect ${run})`)
  return chosen.id
}

interface Identity {
  kind: string
  persona_id: number
  agent_id: number | null
  run_id: string | null
  brief_id: string | null
  attempt_id: string | null
}

/** Prints the caller's identity; works for the operator too, because it tells the two apart. */
export const whoami: Handler<typeof whoamiCommand> = async (context, options) => {
  const client = context.env['AGENCY_TOKEN'] ? context.agentApi() : context.runningApi()
  const me = await client.call<Identity>(daemonEndpoints.whoami)
  if (options.json) context.json(me)
  else if (me.kind === 'operator') context.out(`operator (persona ${me.persona_id})`)
  else context.out(`agent ${me.agent_id} (persona ${me.persona_id}) on ${me.run_id} ${me.brief_id} ${me.attempt_id}`)
  return 0
}

function agentApi(context: CliContext): Client {
  if (context.env['AGENCY_TOKEN']) return context.agentApi()
  throw refusal('unauthenticated', 'this command is for agents: AGENCY_TOKEN is not set', {
    hint: 'Agency sets it for every agent that it starts.',
  })
}
