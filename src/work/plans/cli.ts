import { Refused } from '../../client/client.ts'
import type { CliContext } from '../../cli/context.ts'
import { readInput } from '../../cli/input.ts'
import { bold, faint, plain, type Terminal } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { shorten } from '../../kernel/text.ts'
import type { Fault } from '../../org/document/contract.ts'
import type { Run } from '../runs/contract.ts'
import type { PlannedBrief } from './contract.ts'

export interface PlanOptions {
  /** A file, or - for standard input. */
  plan: string
  preview?: true
  json?: true
}

interface Checked {
  valid: boolean
  faults: Wire<Fault>[]
  goal: string | null
  briefs: Wire<PlannedBrief>[]
}

/** Starts what the file describes, or shows it; `instead` is what the command line says in its place. */
export async function startPlan(
  context: CliContext,
  instead: object,
  options: PlanOptions,
): Promise<{ run: Wire<Run> } | { exit: number }> {
  const plan = await readInput(options.plan, 'plan', '--plan FILE')
  if (options.preview) return { exit: await previewPlan(context, { plan, ...instead }, options) }
  try {
    return { run: await context.api().post<Wire<Run>>('/plans/run', { plan, ...instead }) }
  } catch (error) {
    const { faults, file } = (error instanceof Refused ? error.problem.data : undefined) ?? {}
    // Those of another file are told by whoever brought it.
    if (faults === undefined || file !== undefined) throw error
    for (const fault of faults as Wire<Fault>[]) context.err(faultLine(fault, options.plan))
    return { exit: 2 }
  }
}

/** Findings are what it is asked for, so they are its output. */
async function previewPlan(context: CliContext, input: object, { plan, json }: PlanOptions): Promise<number> {
  const checked = await context.api().post<Checked>('/plans/check', input)
  if (json) context.json(checked)
  else if (checked.valid) for (const line of planLines(context, checked)) context.out(line)
  else for (const fault of checked.faults) context.out(faultLine(fault, plan))
  return checked.valid ? 0 : 1
}

const faultLine = ({ severity, message, line, column }: Wire<Fault>, file: string): string =>
  `${file === '-' ? 'stdin' : file}${line === null ? '' : `:${line}:${column}`}: ${severity}: ${plain(message)}`

/** Level by level: what may run at once stands together, below what it waits for. */
export function planLines(terminal: Terminal, { goal, briefs }: Pick<Checked, 'goal' | 'briefs'>): string[] {
  const levels = Map.groupBy(briefs, (brief) => brief.level)
  const lines = [bold(terminal, plain(goal ?? '')), `${many(briefs.length, 'brief')} in ${many(levels.size, 'level')}`]
  for (const [level, members] of levels) {
    lines.push('', `${level}  ${faint(terminal, level === 1 ? 'waits for nothing' : `waits for level ${level - 1}`)}`)
    members.forEach((brief, index) => lines.push(...briefLines(terminal, brief, index === members.length - 1)))
  }
  return lines
}

function briefLines(terminal: Terminal, brief: Wire<PlannedBrief>, isLast: boolean): string[] {
  const told = [
    ...(brief.after.length === 0 ? [] : [`after ${listed(brief.after)}`]),
    ...(brief.persona === null ? [] : [`by ${plain(brief.persona)}`]),
    ...(brief.verifier === null ? [] : [`judged by ${plain(brief.verifier)}`]),
    ...(brief.runtime === null ? [] : [plain(brief.runtime)]),
  ]
  const proof = brief.evidence.map((each) => plain(each))
  const stem = isLast ? ' ' : '│'
  return [
    `${isLast ? '└' : '├'} ${bold(terminal, plain(brief.key))}  ${shorten(plain(brief.title), 80)}${told.length === 0 ? '' : `  ${faint(terminal, told.join(', '))}`}`,
    ...proof.map((each) => `${stem}   ${shorten(each, 120)}`),
  ]
}

const listed = (keys: readonly string[]): string =>
  keys.length > 8 ? `${keys.slice(0, 7).map(plain).join(', ')} and ${keys.length - 7} more` : keys.map(plain).join(', ')

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
