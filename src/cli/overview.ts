import type { DaemonStatus } from '../daemon/contract.ts'
import { counted, countText, moneyText } from '../kernel/amounts.ts'
import { shorten } from '../kernel/text.ts'
import type { OutputOf } from '../operations/contract.ts'
import type { GateView } from '../work/gates/contract.ts'
import { gateEndpoints } from '../work/gates/endpoints.ts'
import type { Question } from '../work/questions/contract.ts'
import { questionEndpoints } from '../work/questions/endpoints.ts'
import type { Run, RunLine } from '../work/runs/contract.ts'
import { runEndpoints } from '../work/runs/endpoints.ts'
import type { spendOperations } from '../work/spends/contract.ts'
import { spendEndpoints } from '../work/spends/endpoints.ts'
import type { overviewCommand } from './commands/overview.ts'
import type { CliContext } from './context.ts'
import { probe } from './daemon.ts'
import type { Handler } from './declare.ts'
import { ago, bold, faint, fit, plain, signText, startOfDay, type Terminal } from './terminal.ts'
import type { Wire } from './wire.ts'

/** A gate or a question that waits for the operator. */
interface Decision {
  text: string
  run_id: string | null
  since: string
  command: string
}

export interface Overview {
  daemon: Wire<DaemonStatus>
  /** Oldest first. */
  decisions: readonly Decision[]
  goal_of_oldest: string | null
  newest_run: Pick<Wire<RunLine>, 'id' | 'goal_anchor' | 'ended_at'> | null
  costs_today: Wire<OutputOf<typeof spendOperations.summary>>
}

/** Prints at most five lines; without a daemon it says so and starts none. */
export const overview: Handler<typeof overviewCommand> = async (context, { json }) => {
  const daemon = await probe(context)
  if (daemon === null) {
    if (json) context.json({ daemon: null, home: context.paths.home })
    else for (const line of withoutDaemon(context)) context.out(line)
    return 0
  }
  const found = await fetchOverview(context, daemon)
  if (json) context.json(found)
  else for (const line of overviewLines(context, found, context.nowMs())) context.out(fit(line, context.columns))
  return 0
}

const withoutDaemon = (context: CliContext): string[] => [
  `${signText(context, 'idle')} no daemon is running for ${context.paths.home}`,
  next(context, ['agency up', 'agency run "<goal>"']),
]

async function fetchOverview(context: CliContext, daemon: Wire<DaemonStatus>): Promise<Overview> {
  const api = context.runningApi()
  const [{ gates }, { questions }, { runs }, costs_today] = await Promise.all([
    api.call<{ gates: Wire<GateView>[] }>(gateEndpoints.list, { limit: 500 }),
    api.call<{ questions: Wire<Question>[] }>(questionEndpoints.list, { limit: 500 }),
    api.call<{ runs: Wire<RunLine>[] }>(runEndpoints.list, { limit: 1 }),
    api.call<Overview['costs_today']>(spendEndpoints.summary, { since: startOfDay(context.nowMs()) }),
  ])
  const decisions = decisionsOf(gates, questions)
  const run = decisions[0]?.run_id ?? null
  const goal_of_oldest =
    run === null ? null : (await api.call<Wire<Run>>(runEndpoints.show, { run_id: run })).goal_anchor
  return { daemon, decisions, goal_of_oldest, newest_run: runs[0] ?? null, costs_today }
}

function decisionsOf(gates: readonly Wire<GateView>[], questions: readonly Wire<Question>[]): Decision[] {
  return [
    ...gates
      .filter(({ approver }) => approver === 'operator')
      .map((gate) => ({
        text: gate.gate === 'manual' ? 'your pause' : `gate ${plain(gate.gate)}`,
        run_id: gate.run_id,
        since: gate.pending_since,
        command: gate.gate === 'manual' ? `agency resume ${gate.run_id}` : `agency approve ${gate.id}`,
      })),
    ...questions
      .filter(({ status }) => status === 'with_operator')
      .map((question) => ({
        text: `question ${shorten(plain(question.text), 200)}`,
        run_id: question.run_id,
        since: question.created_at,
        command: `agency question show ${question.id}`,
      })),
  ].toSorted((a, b) => a.since.localeCompare(b.since))
}

export const overviewLines = (screen: Terminal, found: Overview, nowMs: number): string[] => [
  waitingLine(screen, found, nowMs),
  workLine(screen, found),
  moneyLine(screen, found),
  daemonLine(screen, found, nowMs),
  next(screen, nextOf(found)),
]

function waitingLine(screen: Terminal, { daemon, decisions, goal_of_oldest }: Overview, nowMs: number): string {
  const [oldest] = decisions
  const waiting = daemon.waiting_for_you
  if (waiting === 0) return `${signText(screen, 'good')} nothing waits for you`
  const count = `${waiting} ${waiting === 1 ? 'thing waits' : 'things wait'} for you`
  // Proposals to change an organisation are decided in the dashboard.
  if (oldest === undefined) return `${signText(screen, 'waiting')} ${bold(screen, count)}: ${daemon.dashboard}`
  const goal = goal_of_oldest === null ? '' : ` of “${shorten(plain(goal_of_oldest), 60)}”`
  return `${signText(screen, 'waiting')} ${bold(screen, count)}: ${oldest.text}${goal}, ${ago(oldest.since, nowMs)}`
}

function workLine(screen: Terminal, { daemon, decisions, newest_run: newest }: Overview): string {
  const { running, waiting } = daemon
  if (running.runs === 0) return `${signText(screen, 'idle')} no run is under way`
  const state = running.agents + running.checks > 0 ? 'working' : 'waiting'
  const parts = [
    `${counted(running.runs, 'run')} under way`,
    `${running.agents} of ${counted(running.slots, 'agent')} at work`,
    ...(running.checks === 0 ? [] : [counted(running.checks, 'check')]),
  ]
  const about =
    state === 'working' && newest !== null && newest.ended_at === null
      ? `; the newest: ${shorten(plain(newest.goal_anchor), 60)}`
      : state === 'waiting' && decisions.length === 0 && waiting[0] !== undefined
        ? `; ${waiting[0].run_id} waits for ${plain(waiting[0].waits_for)}`
        : ''
  return `${signText(screen, state)} ${parts.join(', ')}${about}`
}

function moneyLine(screen: Terminal, { costs_today: costs }: Overview): string {
  const unpriced = costs.unpriced_calls === 0 ? '' : `, ${counted(costs.unpriced_calls, 'call')} without a known price`
  const simulated = costs.simulated_calls === 0 ? '' : `${countText(costs.simulated_tokens)} tokens simulated`
  if (costs.calls === 0)
    return `${signText(screen, 'idle')} no model call today${simulated === '' ? '' : `; ${simulated}`}`
  const spent = `${moneyText(costs.cost_micros)} today, ${countText(costs.tokens)} tokens${unpriced}`
  return `${signText(screen, 'idle')} ${spent}${simulated === '' ? '' : `; ${simulated}, not included`}`
}

function daemonLine(screen: Terminal, { daemon }: Overview, nowMs: number): string {
  const [stop] = daemon.stops
  const up = `daemon up for ${ago(daemon.started_at, nowMs).replace(/ ago$/, '')}`
  if (stop !== undefined) {
    const scope = stop.organisation === null ? 'everything' : `organisation ${plain(stop.organisation)}`
    return `${signText(screen, 'bad')} ${scope} is stopped, ${up}, ${daemon.dashboard}`
  }
  const isBoxed = !daemon.box.startsWith('none')
  const box = isBoxed ? `box ${plain(daemon.box)}` : 'agents are not boxed'
  return `${signText(screen, isBoxed ? 'good' : 'waiting')} ${up}, ${box}, ${daemon.dashboard}`
}

function nextOf({ daemon, decisions, newest_run: newest }: Overview): string[] {
  const [oldest] = decisions
  const [stop] = daemon.stops
  if (oldest !== undefined) return [oldest.command]
  if (stop !== undefined)
    return [stop.organisation === null ? 'agency resume' : `agency resume --org ${stop.organisation}`]
  if (newest === null) return ['agency demo', 'agency run "<goal>"']
  return newest.ended_at === null ? ['agency watch'] : ['agency inspect', 'agency run "<goal>"']
}

const next = (screen: Terminal, commands: readonly string[]): string =>
  `→ ${commands.map((each) => bold(screen, each)).join(' · ')} ${faint(screen, '· all commands: agency --help')}`
