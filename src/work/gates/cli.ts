import type { CliContext } from '../../cli/context.ts'
import { ago, plain, statusText, tableLines, visible } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { DecidedGate, GateView } from './contract.ts'

type Decided = Wire<DecidedGate>
type GateLine = Wire<GateView>

export interface DecideOptions {
  gate?: string
  as?: string
  json?: true
}

export const approveGate = (
  context: CliContext,
  target: string,
  { note, ...options }: DecideOptions & { note?: string },
): Promise<number> => decide(context, target, 'approve', { note, gate: options.gate, as: options.as }, options)

export const rejectGate = (
  context: CliContext,
  target: string,
  { reason, ...options }: DecideOptions & { reason: string },
): Promise<number> => decide(context, target, 'reject', { reason, gate: options.gate, as: options.as }, options)

async function decide(
  context: CliContext,
  target: string,
  verb: 'approve' | 'reject',
  body: Record<string, string | undefined>,
  { json }: DecideOptions,
): Promise<number> {
  const gate = await context.api().post<Decided>(`/gates/${encodeURIComponent(target)}/${verb}`, body)
  if (json) context.json(gate)
  else context.out(gate.confirmation)
  return 0
}

export async function pauseRun(
  context: CliContext,
  run: string,
  options: { reason?: string; json?: true },
): Promise<number> {
  const gate = await context.api().post<GateLine>(`/runs/${encodeURIComponent(run)}/pause`, { reason: options.reason })
  if (options.json) context.json(gate)
  else context.out(`${gate.run_id} paused; agents at work finish ("agency resume ${gate.run_id}" lets it go on)`)
  return 0
}

export interface GatesOptions {
  status?: string
  limit?: number
  json?: true
}

export async function listGates(context: CliContext, options: GatesOptions): Promise<number> {
  const answer = await context
    .api()
    .get<{ gates: GateLine[]; total: number }>('/gates', { status: options.status, limit: options.limit })
  if (options.json) {
    context.json(answer)
    return 0
  }
  const status = options.status ?? 'pending'
  if (answer.gates.length === 0) {
    context.out(status === 'pending' ? 'no gate is pending' : `no gates are ${status}`)
    return 0
  }
  const columns = [
    { title: 'GATE' },
    { title: 'KIND' },
    { title: 'STATUS' },
    { title: 'RUN' },
    { title: 'SINCE', right: true },
    { title: 'PRODUCED', flexible: true },
  ] as const
  const rows = answer.gates.map((gate) => [
    gate.id,
    plain(gate.gate),
    statusText(context, gate.status, gateStates[gate.status]),
    gate.run_id,
    ago(gate.pending_since, context.nowMs()),
    plain(gate.summary.produced),
  ])
  for (const line of tableLines(context, columns, rows)) context.out(line)
  if (answer.total > answer.gates.length) context.out(`and ${answer.total - answer.gates.length} more (--limit)`)
  return 0
}

export const gateStates = { pending: 'waiting', approved: 'good', rejected: 'bad', expired: 'bad' } as const

/** Exit 1 when nothing was done: the words say why. */
export async function reply(
  context: CliContext,
  text: string,
  options: { from?: string; json?: true },
): Promise<number> {
  const answer = await context.api().post<{ text: string; done: boolean }>('/notify/inbound', {
    text,
    from: options.from,
  })
  if (options.json) context.json(answer)
  else context.out(visible(answer.text))
  return answer.done ? 0 : 1
}
