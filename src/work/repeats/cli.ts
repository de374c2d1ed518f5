import type { proveCommand } from '../../cli/commands/prove.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, bold, duration, faint, plain, signText, visible } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { ranOutsideBox } from '../../kernel/checked-in.ts'
import { counted } from '../../kernel/amounts.ts'
import { pause } from '../../kernel/clock.ts'
import { shorten } from '../../kernel/text.ts'
import type { RepeatFinding, RepeatView } from './contract.ts'
import { repeatEndpoints } from './endpoints.ts'

type View = Wire<RepeatView>

const pollMs = 500
const outputLines = 10

/** Checks a run again. Exit 0: all evidence holds; 1: it does not, or could not be checked; 130: the person left. */
export const proveRun: Handler<typeof proveCommand> = async (context, id, { head, follow, cancel, json }) => {
  const latest = { run_id: id, repeat_id: 'latest' }
  if (cancel) {
    const ended = await context.api().call<View>(repeatEndpoints.cancel, latest)
    if (json) context.json(ended)
    else context.out(`✗ ${plain(ended.detail ?? '')}`)
    return 0
  }
  const begun = await (follow
    ? context.api().call<View>(repeatEndpoints.show, latest)
    : context.api().call<View>(repeatEndpoints.start, { run_id: id, head: head === true }))
  if (!json) printHead(context, begun)
  const ended = await followRepeat(context, begun, json ? () => {} : createPrinter(context))
  if (ended === null) {
    context.err(`\nagency: no longer waiting; the check continues (agency prove ${begun.run_id} --follow)`)
    return 130
  }
  if (json) context.json(ended)
  else printEnd(context, ended)
  return ended.status === 'passed' ? 0 : 1
}

/** Asks until the repeat has ended; null if the person left first. The daemon may die and come back meanwhile. */
async function followRepeat(context: CliContext, begun: View, show: (view: View) => void): Promise<View | null> {
  let hasLeft = false
  const onInterrupt = (): void => {
    hasLeft = true
  }
  // Once: a second Ctrl-C ends the command even if it hangs.
  process.once('SIGINT', onInterrupt)
  try {
    for (let view = begun; ;) {
      show(view)
      if (view.ended_at !== null) return view
      await pause(pollMs)
      if (hasLeft) return null
      view = await context.api().call<View>(repeatEndpoints.show, { run_id: view.run_id, repeat_id: view.id })
    }
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

function printHead(context: CliContext, view: View): void {
  const { subject, branch, commit_id: commit, branch_commit: now, in_branch: isIn } = view
  const about = {
    merged: `the commit that was merged into ${branch}`,
    result: `the result, which is not merged into ${branch} yet`,
    branch: `${branch} as it is now`,
  }[subject]
  context.out(
    `${bold(context, view.run_id)}  ${counted(view.total, 'item')} of evidence on ${short(commit)}, ${plain(about)}`,
  )
  if (subject !== 'merged' || now === commit) return
  context.out(
    isIn
      ? `${signText(context, 'waiting')} ${plain(branch)} has moved since, to ${short(now)} (agency prove ${view.run_id} --head)`
      : `${signText(context, 'waiting')} ${plain(branch)} no longer contains this commit; it is at ${short(now)} now (agency prove ${view.run_id} --head)`,
  )
}

/** Prints each finding once, also if a daemon that came back checks it again. */
function createPrinter(context: CliContext): (view: View) => void {
  const printed = new Set<string>()
  return ({ findings }) => {
    for (const finding of findings) {
      const key = JSON.stringify([finding.evidence, finding.passed])
      if (printed.has(key)) continue
      printed.add(key)
      printFinding(context, finding)
    }
  }
}

function printFinding(context: CliContext, finding: Wire<RepeatFinding>): void {
  const { passed, what, detail, boxed, duration_ms: ms, output, evidence } = finding
  const around = [
    ...(ms === undefined ? [] : [duration(ms)]),
    ...(ranOutsideBox({ kind: evidence.kind, boxed, detail }) ? ['not boxed'] : []),
  ]
  context.out(
    `${signText(context, passed ? 'good' : 'bad')} ${verdictOn(finding)}  ${shorten(plain(what), 200)}: ${plain(detail)}${around.length === 0 ? '' : faint(context, `  (${around.join(', ')})`)}`,
  )
  if (passed) return
  const lines = visible(output)
    .split('\n')
    .filter((line) => line.trim() !== '')
  for (const line of lines.slice(0, outputLines)) context.out(`    ${line}`)
}

function verdictOn({ passed, before }: Wire<RepeatFinding>): string {
  if (passed) return before === true ? 'still holds' : before === false ? 'holds now' : 'holds'
  return before === true ? 'no longer holds' : 'does not hold'
}

function printEnd(context: CliContext, view: View): void {
  const repeated = view.not_repeated
  if (repeated.length > 0) context.out(faint(context, 'not repeated:'))
  for (const { what, briefs, reason } of repeated.slice(0, outputLines))
    context.out(faint(context, `  ${shorten(plain(what), 200)} (${shorten(plain(briefs.join(', ')), 200)}): ${reason}`))
  if (repeated.length > outputLines) context.out(faint(context, `  and ${repeated.length - outputLines} more`))
  const sign = signText(context, view.status === 'passed' ? 'good' : 'bad')
  const when = view.ended_at === null ? '' : faint(context, `  ${ago(view.ended_at, context.nowMs())}`)
  context.out(`${sign} ${plain(view.detail ?? view.status)}${when}`)
}

const short = (commit: string): string => commit.slice(0, 12)
