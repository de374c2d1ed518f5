import type { CliContext } from '../../cli/context.ts'
import { ago, plain, statusText, tableLines, visible } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Diff, PullRequest, PullRequestView } from './contract.ts'

const states = { open: 'waiting', merged: 'good', closed: 'bad' } as const

export async function listPullRequests(
  context: CliContext,
  options: { status?: string; limit?: number; json?: true },
): Promise<number> {
  const answer = await context
    .api()
    .get<{ pull_requests: Wire<PullRequest>[] }>('/pull-requests', { status: options.status, limit: options.limit })
  if (options.json) {
    context.json(answer)
    return 0
  }
  if (answer.pull_requests.length === 0) {
    context.out('no pull requests; "agency run … --repo <path>" ends as one')
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
    plain(each.title),
  ])
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

export async function showPullRequest(context: CliContext, run: string, options: { json?: true }): Promise<number> {
  const shown = await context.api().get<Wire<PullRequestView>>(`/runs/${encodeURIComponent(run)}/pr`)
  if (options.json) {
    context.json(shown)
    return 0
  }
  const { diffstat } = shown
  context.out(`${plain(shown.title)}  ${statusText(context, shown.status, states[shown.status])}`)
  context.out(`${plain(shown.source)} → ${plain(shown.target)}  ${shown.head_commit.slice(0, 12)}`)
  context.out('')
  for (const file of shown.files)
    context.out(`  ${file.binary ? 'binary' : `+${file.added} -${file.removed}`}  ${plain(file.path)}`)
  context.out(`${diffstat.files} ${diffstat.files === 1 ? 'file' : 'files'}, +${diffstat.added} -${diffstat.removed}`)
  context.out('')
  for (const check of shown.checks)
    context.out(`  ${check.passed ? '✓' : '✗'} ${plain(check.what)}: ${plain(check.detail)}`)
  context.out('')
  context.out(
    shown.status === 'open'
      ? `agency pr diff ${shown.run_id} · agency approve ${shown.run_id} --gate merge`
      : `agency pr diff ${shown.run_id}`,
  )
  return 0
}

export async function showDiff(
  context: CliContext,
  target: string,
  options: { path?: string; json?: true },
): Promise<number> {
  const place = target.startsWith('brf_') ? 'briefs' : 'runs'
  const diff = await context
    .api()
    .get<Wire<Diff>>(`/${place}/${encodeURIComponent(target)}/diff`, { path: options.path })
  if (options.json) {
    context.json(diff)
    return 0
  }
  context.out(visible(diff.text.replace(/\n$/, '')))
  if (diff.cut) context.err('cut: the rest does not fit; --path shows one file')
  return 0
}
