import type { CliContext } from '../../cli/context.ts'
import { plain } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import type { ProviderHold, Stop } from './contract.ts'

export interface StopOptions {
  all?: true
  org?: string
  reason?: string
  json?: true
}

export async function stopLaunches(context: CliContext, options: StopOptions): Promise<number> {
  if ((options.all === true) === (options.org !== undefined))
    throw refusal('invalid_input', 'what? give --all or --org <org>', {
      hint: 'The daemon itself is stopped with "agency down".',
    })
  const stop = await context.api().post<Wire<Stop>>('/stops', { organisation: options.org, reason: options.reason })
  if (options.json) context.json(stop)
  else
    context.out(
      `stopped ${stop.scope}${stop.reason === '' ? '' : `: ${plain(stop.reason)}`}; "agency resume${
        options.org === undefined ? '' : ` --org ${plain(options.org)}`
      }" lifts it`,
    )
  return 0
}

export async function resume(
  context: CliContext,
  runId: string | undefined,
  options: { org?: string; json?: true },
): Promise<number> {
  if (runId === undefined) return liftStop(context, options)
  if (options.org !== undefined) throw refusal('invalid_input', 'give a run or --org, not both')
  const run = await context
    .api()
    .post<{ run_id: string; status: string }>(`/runs/${encodeURIComponent(runId)}/resume`, {})
  if (options.json) context.json(run)
  else context.out(`${run.run_id} ${run.status}`)
  return 0
}

async function liftStop(context: CliContext, options: { org?: string; json?: true }): Promise<number> {
  const answer = await context
    .api()
    .post<{ lifted: Wire<Stop>[]; released: Wire<ProviderHold>[] }>('/stops/clear', { organisation: options.org })
  if (options.json) context.json(answer)
  else {
    for (const stop of answer.lifted) context.out(`${stop.scope} goes on`)
    for (const { provider } of answer.released) context.out(`${plain(provider)} is asked again`)
  }
  return 0
}
