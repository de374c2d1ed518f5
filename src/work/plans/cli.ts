import type { CliContext } from '../../cli/context.ts'
import { faultLine } from '../../cli/faults.ts'
import { readInput } from '../../cli/input.ts'
import { bold, faint, plain, type Terminal } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import { ApiError } from '../../operations/problem.ts'
import type { Fault } from '../../documents/contract.ts'
import type { Run } from '../runs/contract.ts'
import type { FileReview } from '../trusted-files/contract.ts'
import { nameOf, sendTrusted } from '../trusted-files/cli.ts'
import { reviewLines } from '../trusted-files/cli/review-lines.ts'
import type { PlannedBrief } from './contract.ts'
import { planEndpoints } from './endpoints.ts'

export interface PlanOptions {
  /** A file, or - for standard input. */
  plan: string
  preview?: true
  trust?: true
  team?: string
  json?: true
}

interface Checked {
  valid: boolean
  faults: Wire<Fault>[]
  goal: string | null
  briefs: Wire<PlannedBrief>[]
  files: Wire<FileReview>[]
}

/** Starts the run that the file describes, or previews it; `overrides` are the values given on the command line. */
export async function startPlan(
  context: CliContext,
  overrides: object,
  options: PlanOptions,
): Promise<{ run: Wire<Run> } | { exit: number }> {
  const plan = await readInput(options.plan, 'plan', '--plan FILE')
  const file_names = { plan: nameOf(options.plan), team: nameOf(options.team) }
  const input = { plan, ...overrides, file_names }
  if (options.preview) return { exit: await previewPlan(context, input, options) }
  const send = (trust: readonly string[]) => context.api().call<Wire<Run>>(planEndpoints.run, { ...input, trust })
  try {
    return { run: await sendTrusted(context, options.trust, send) }
  } catch (error) {
    const { faults, file } = (error instanceof ApiError ? error.problem.data : undefined) ?? {}
    // The caller that sent another file, such as a team file, prints the faults of that file.
    if (faults === undefined || file !== undefined) throw error
    for (const fault of faults as Wire<Fault>[]) context.err(faultLine(fault, options.plan))
    return { exit: 2 }
  }
}

/** Prints the faults of a plan on standard output, because they are the result of a preview. */
async function previewPlan(context: CliContext, input: object, { plan, json }: PlanOptions): Promise<number> {
  const checked = await context.api().call<Checked>(planEndpoints.check, input)
  if (json) context.json(checked)
  else if (checked.valid) {
    for (const line of planLines(context, checked)) context.out(line)
    for (const file of checked.files) for (const line of ['', ...reviewLines(context, file)]) context.out(line)
  } else for (const fault of checked.faults) context.out(faultLine(fault, plan))
  return checked.valid ? 0 : 1
}

/** Formats a plan level by level: briefs that may run at once stand together, below those that they wait for. */
export function planLines(terminal: Terminal, { goal, briefs }: Pick<Checked, 'goal' | 'briefs'>): string[] {
  const levels = Map.groupBy(briefs, (brief) => brief.level)
  const lines = [
    bold(terminal, plain(goal ?? '')),
    `${counted(briefs.length, 'brief')} in ${counted(levels.size, 'level')}`,
  ]
  for (const [level, members] of levels) {
    lines.push('', `${level}  ${faint(terminal, level === 1 ? 'waits for nothing' : `waits for level ${level - 1}`)}`)
    members.forEach((brief, index) => lines.push(...briefLines(terminal, brief, index === members.length - 1)))
  }
  return lines
}

function briefLines(terminal: Terminal, brief: Wire<PlannedBrief>, isLast: boolean): string[] {
  const details = [
    ...(brief.after.length === 0 ? [] : [`after ${listed(brief.after)}`]),
    ...(brief.persona === null ? [] : [`by ${plain(brief.persona)}`]),
    ...(brief.verifier === null ? [] : [`judged by ${plain(brief.verifier)}`]),
    ...(brief.runtime === null ? [] : [plain(brief.runtime)]),
  ]
  const proof = brief.evidence.map((each) => plain(each))
  const stem = isLast ? ' ' : '│'
  return [
    `${isLast ? '└' : '├'} ${bold(terminal, plain(brief.key))}  ${shorten(plain(brief.title), 80)}${details.length === 0 ? '' : `  ${faint(terminal, details.join(', '))}`}`,
    ...proof.map((each) => `${stem}   ${shorten(each, 120)}`),
  ]
}

const listed = (keys: readonly string[]): string =>
  keys.length > 8 ? `${keys.slice(0, 7).map(plain).join(', ')} and ${keys.length - 7} more` : keys.map(plain).join(', ')
