import type { CliContext } from '../../cli/context.ts'
import type { Wire } from '../../cli/wire.ts'
import { pause } from '../../kernel/clock.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Correction } from '../briefs/contract.ts'
import type { Evidence } from '../evidence/contract.ts'
import type { Attempt } from './contract.ts'

interface AttemptBrief {
  brief_id: string
  run_id: string
  attempt_id: string
  attempt: number
  objective: string
  context: string
  evidence: Wire<Evidence>[]
  corrections: Wire<Correction>[]
}

/** What an agent reads first: everything it needs and nothing to skip. */
export async function showBrief(context: CliContext, options: { json?: true }): Promise<number> {
  const brief = await agentApi(context).get<AttemptBrief>('/attempt/brief')
  if (options.json) {
    context.json(brief)
    return 0
  }
  context.out(`# ${brief.brief_id}, attempt ${brief.attempt}`)
  context.out(brief.objective)
  if (brief.context !== '') context.out(`\n## Context\n${brief.context}`)
  context.out('\n## Checked at the end')
  for (const item of brief.evidence) context.out(`- ${JSON.stringify(item)}`)
  if (brief.corrections.length === 0) return 0
  context.out('\n## Failed last time')
  for (const { evidence, detail } of brief.corrections) context.out(`- ${evidence}: ${detail}`)
  return 0
}

export interface LogOptions {
  verbose?: true
}

export async function writeLog(context: CliContext, message: string, options: LogOptions): Promise<number> {
  await agentApi(context).post('/events', { kind: 'log', message, level: options.verbose ? 'verbose' : 'normal' })
  return 0
}

export interface ReportOptions {
  status: string
  summary: string
  output?: string[]
  remaining?: string
}

export async function sendReport(context: CliContext, options: ReportOptions): Promise<number> {
  const { note } = await agentApi(context).post<{ note: string }>('/attempt/report', {
    status: options.status,
    summary: options.summary,
    outputs: options.output,
    remaining: options.remaining,
  })
  context.out(note)
  return 0
}

interface Output {
  attempt_id: string
  text: string
  next: number
  ended: boolean
}

export interface OutputOptions {
  follow?: true
  json?: true
}

const followMs = 500

/** What an attempt printed. Of a run: its attempt at work, or the last one. */
export async function showOutput(context: CliContext, id: string, options: OutputOptions): Promise<number> {
  const client = context.api()
  const attemptId = id.startsWith('att_') ? id : await attemptOf(context, id)
  const path = `/attempts/${encodeURIComponent(attemptId)}/output`
  for (let after = 0; ;) {
    const part = await client.get<Output>(path, { after })
    if (options.json) context.out(JSON.stringify(part))
    else if (part.text !== '') context.text(part.text)
    if (part.ended || (part.next === after && !options.follow)) return 0
    if (part.next === after) await pause(followMs)
    after = part.next
  }
}

async function attemptOf(context: CliContext, run: string): Promise<string> {
  const path = `/runs/${encodeURIComponent(run)}/inspect`
  const { attempts } = await context.api().get<{ attempts: Wire<Attempt>[] }>(path, { events: 0 })
  const live = attempts.filter(({ status }) => status !== 'ended')
  const chosen = live.at(-1) ?? attempts.at(-1)
  if (chosen === undefined)
    throw refusal('not_found', `run "${run}" has no attempt yet`, { hint: 'Its first starts when a place is free.' })
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

/** Works for the operator too: it answers which of the two one is. */
export async function whoami(context: CliContext, options: { json?: true }): Promise<number> {
  const client = context.env['AGENCY_TOKEN'] ? context.agentApi() : context.runningApi()
  const me = await client.get<Identity>('/whoami')
  if (options.json) context.json(me)
  else if (me.kind === 'operator') context.out(`operator (persona ${me.persona_id})`)
  else context.out(`agent ${me.agent_id} (persona ${me.persona_id}) on ${me.run_id} ${me.brief_id} ${me.attempt_id}`)
  return 0
}

function agentApi(context: CliContext): ReturnType<CliContext['agentApi']> {
  if (context.env['AGENCY_TOKEN']) return context.agentApi()
  throw refusal('unauthenticated', 'this command is for agents: AGENCY_TOKEN is not set', {
    hint: 'Agency sets it for every agent that it starts.',
  })
}
