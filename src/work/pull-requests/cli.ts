import type { prDiffCommand } from '../../cli/commands/pr/diff.ts'
import type { prListCommand } from '../../cli/commands/pr/list.ts'
import type { prShowCommand } from '../../cli/commands/pr/show.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { ago, plain, statusText, tableLines, visible } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { counted } from '../../kernel/amounts.ts'
import { refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { organisationId } from '../../org/organisations/cli/number.ts'
import type { Diff, PullRequestLine, PullRequestView } from './contract.ts'
import { pullRequestEndpoints } from './endpoints.ts'

/** Returns the run or brief that was named, or else the run of the newest pull request, which is named on standard error. */
async function namedOrNewest(context: CliContext, named: string | undefined): Promise<string> {
  if (named !== undefined) return named
  const answer = await context
    .api()
    .call<{ pull_requests: Wire<PullRequestLine>[] }>(pullRequestEndpoints.list, { limit: 1 })
  const [newest] = answer.pull_requests
  if (newest === undefined) throw refusal('not_found', 'there is no pull request yet', { hint: noneYet })
  context.err(`agency: ${newest.run_id}, the newest pull request: ${shorten(plain(newest.title), 100)}`)
  return newest.run_id
}

const noneYet = 'a run started with "agency run … --repo <path>" ends as one'

const states = { open: 'waiting', merged: 'good', closed: 'bad' } as const

export const listPullRequests: Handler<typeof prListCommand> = async (context, { status, limit, org, json }) => {
  const answer = await context.api().call<{ pull_requests: Wire<PullRequestLine>[] }>(pullRequestEndpoints.list, {
    status,
    limit,
    organisation_id: await organisationId(context, org),
  })
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.pull_requests.length === 0) {
    context.out(`no pull requests; ${noneYet}`)
    return 0
  }
  const columns = [
    { title: 'RUN' },
    { title: 'STATUS' },
    { title: 'INTO' },
    { title: 'OPENED', right: true },
    { title: 'TITLE', flexible: true },
  ] as const
  const rows = answer.pull_requests.map((each) => [
    each.run_id,
    statusText(context, each.status, states[each.status]),
    plain(each.target),
    ago(each.opened_at, context.nowMs()),
    `${each.simulated ? '(simulated) ' : ''}${plain(each.title)}`,
  ])
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

export const showPullRequest: Handler<typeof prShowCommand> = async (context, run, options) => {
  const run_id = await namedOrNewest(context, run)
  const shown = await context.api().call<Wire<PullRequestView>>(pullRequestEndpoints.ofRun, { run_id })
  if (options.json) {
    context.json(shown)
    return 0
  }
  const { diffstat } = shown
  context.out(`${plain(shown.title)}  ${statusText(context, shown.status, states[shown.status])}`)
  context.out(`${plain(shown.source)} → ${plain(shown.target)}  ${shown.head_commit.slice(0, 12)}`)
  if (shown.reverted_by !== null) context.out(`${shown.reverted_by} takes it back`)
  context.out('')
  for (const file of shown.files)
    context.out(`  ${file.binary ? 'binary' : `+${file.added} -${file.removed}`}  ${plain(file.path)}`)
  context.out(`${counted(diffstat.files, 'file')}, +${diffstat.added} -${diffstat.removed}`)
  context.out('')
  for (const check of shown.checks)
    context.out(`  ${check.passed ? '✓' : '✗'} ${plain(check.what)}: ${plain(check.detail)}`)
  for (const warning of shown.warnings) context.out(plain(warning))
  if (shown.proof !== null)
    context.out(`${shown.proof.status === 'passed' ? '✓' : '✗'} ${plain(proofText(shown.proof))}`)
  context.out('')
  context.out(
    shown.status === 'open'
      ? `agency pr diff ${shown.run_id} · agency approve ${shown.run_id} --gate merge`
      : shown.status === 'merged' && shown.reverted_by === null
        ? `agency pr diff ${shown.run_id} · agency revert ${shown.run_id}`
        : `agency pr diff ${shown.run_id}`,
  )
  return 0
}

const proofText = ({ status, head, detail }: NonNullable<Wire<PullRequestView>['proof']>): string =>
  status === 'waiting' ? `The merged result ${head.slice(0, 12)} is being checked.` : (detail ?? status)

export const showDiff: Handler<typeof prDiffCommand> = async (context, named, { path, json }) => {
  const target = await namedOrNewest(context, named)
  const diff = await (target.startsWith('brf_')
    ? context.api().call<Wire<Diff>>(pullRequestEndpoints.ofBrief, { brief_id: target, path })
    : context.api().call<Wire<Diff>>(pullRequestEndpoints.diff, { run_id: target, path }))
  if (json) {
    context.json(diff)
    return 0
  }
  context.out(visible(diff.text.replace(/\n$/, '')))
  if (diff.cut) context.err('the diff is too long and was cut; --path prints one file')
  return 0
}
