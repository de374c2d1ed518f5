import type { approveCommand } from '../../cli/commands/approve.ts'
import type { gatesCommand } from '../../cli/commands/gates.ts'
import type { pauseCommand } from '../../cli/commands/pause.ts'
import type { rejectCommand } from '../../cli/commands/reject.ts'
import type { replyCommand } from '../../cli/commands/reply.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, bold, confirmationText, fit, plain, statusText, tableLines, visible } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Endpoint } from '../../operations/endpoint.ts'
import { shorten } from '../../kernel/text.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import type { Run } from '../runs/contract.ts'
import { runEndpoints } from '../runs/endpoints.ts'
import type { DecidedGate, GateView } from './contract.ts'
import { gateEndpoints } from './endpoints.ts'

type GateLine = Wire<GateView>

export const approveGate: Handler<typeof approveCommand> = (context, target, { note, gate, as, undoSeconds, json }) =>
  decide(context, gateEndpoints.approve, { target, note, gate, as, undo_seconds: undoSeconds }, json)

export const rejectGate: Handler<typeof rejectCommand> = (context, target, { reason, gate, as, undoSeconds, json }) =>
  decide(context, gateEndpoints.reject, { target, reason, gate, as, undo_seconds: undoSeconds }, json)

async function decide(
  context: CliContext,
  endpoint: Endpoint,
  input: Record<string, string | number | undefined>,
  json: true | undefined,
): Promise<number> {
  const gate = await context.api().call<Wire<DecidedGate>>(endpoint, input)
  if (json) context.json(gate)
  else context.out(confirmationText(gate.confirmation))
  return 0
}

export const pauseRun: Handler<typeof pauseCommand> = async (context, run, { reason, json }) => {
  const gate = await context.api().call<GateLine>(gateEndpoints.pause, { run_id: run, reason })
  if (json) context.json(gate)
  else context.out(`${gate.run_id} paused; agents at work finish ("agency resume ${gate.run_id}" resumes it)`)
  return 0
}

export const listGates: Handler<typeof gatesCommand> = async (context, options) => {
  const answer = await context.api().call<{ gates: GateLine[]; total: number }>(gateEndpoints.list, {
    status: options.status,
    limit: options.limit,
    organisation_id: await organisationId(context, options.org),
  })
  if (options.json) {
    context.json(answer)
    return 0
  }
  const status = options.status ?? 'pending'
  if (answer.gates.length === 0) {
    context.out(status === 'pending' ? 'no gate is pending' : `no gates are ${status}`)
    return 0
  }
  const goals = await goalsOf(context, answer.gates)
  const lines =
    context.columns < tableWidth ? cardsOf(context, answer.gates, goals) : rowsOf(context, answer.gates, goals)
  for (const line of lines) context.out(fit(line, context.columns))
  if (answer.total > answer.gates.length) context.out(`and ${answer.total - answer.gates.length} more (--limit)`)
  return 0
}

/** Narrower terminals get two lines for each gate: in one, nothing of its goal and its result would be left. */
const tableWidth = 130

const goalsOf = async (context: CliContext, gates: readonly GateLine[]): Promise<ReadonlyMap<string, string>> =>
  new Map(
    await Promise.all(
      [...new Set(gates.map(({ run_id }) => run_id))].map(async (run_id): Promise<[string, string]> => {
        const run = await context.api().call<Wire<Run>>(runEndpoints.show, { run_id })
        return [run_id, shorten(plain(run.goal_anchor), 100)]
      }),
    ),
  )

const cardsOf = (context: CliContext, gates: readonly GateLine[], goals: ReadonlyMap<string, string>): string[] =>
  gates.flatMap((gate) => [
    [
      `${statusText(context, gate.status, gateStates[gate.status])}  ${bold(context, plain(gate.gate))}`,
      gate.id,
      ago(gate.pending_since, context.nowMs()),
      goals.get(gate.run_id),
    ].join('  '),
    `    ${plain(gate.summary.produced)}`,
  ])

function rowsOf(context: CliContext, gates: readonly GateLine[], goals: ReadonlyMap<string, string>): string[] {
  const columns = [
    { title: 'GATE' },
    { title: 'KIND' },
    { title: 'STATUS' },
    { title: 'RUN' },
    { title: 'SINCE', right: true },
    { title: 'GOAL' },
    { title: 'PRODUCED', flexible: true },
  ] as const
  const rows = gates.map((gate) => [
    gate.id,
    plain(gate.gate),
    statusText(context, decidedSoon(gate, context.nowMs()) ?? gate.status, gateStates[gate.status]),
    gate.run_id,
    ago(gate.pending_since, context.nowMs()),
    shorten(goals.get(gate.run_id) ?? '', 40),
    // A summary has many paragraphs; --json has all of it.
    shorten(plain(gate.summary.produced), 300),
  ])
  return tableLines(context, columns, rows)
}

export const gateStates = { pending: 'waiting', approved: 'good', rejected: 'bad', expired: 'bad' } as const

/** Returns the state of a gate whose decision waits to take effect: `approved in 7 s`. */
function decidedSoon({ decisions = [] }: GateLine, nowMs: number): string | undefined {
  const waiting = decisions.find(({ status }) => status === 'waiting')
  if (waiting === undefined) return undefined
  const seconds = Math.max(0, Math.ceil((Date.parse(waiting.effective_at) - nowMs) / 1_000))
  return `${waiting.action === 'approve' ? 'approved' : 'rejected'} in ${seconds} s`
}

/** Sends a reply in plain words; exits with 1 when nothing was done, and the answer gives the reason. */
export const reply: Handler<typeof replyCommand> = async (context, text, { from, json }) => {
  const answer = await context.api().call<{ text: string; done: boolean }>(gateEndpoints.reply, { text, from })
  if (json) context.json(answer)
  else context.out(confirmationText(visible(answer.text)))
  return answer.done ? 0 : 1
}
